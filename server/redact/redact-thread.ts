import { serveWorker } from "../lib/worker-thread.ts";
import { createRedactor, type Apart } from "./redact.ts";

serveWorker(({ text, value, ...options }: Apart) => {
  const redactor = createRedactor(options);
  return text === undefined ? redactor.value(value) : redactor.text(text);
});
