import { answerThread } from "../lib/thread.ts";
import { createRedactor, type Apart } from "./redact.ts";

answerThread(({ text, value, ...options }: Apart) => {
  const redactor = createRedactor(options);
  return text === undefined ? redactor.value(value) : redactor.text(text);
});
