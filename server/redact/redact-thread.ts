import { serveWorker } from "../lib/worker-thread.ts";
import { createRedactor, type WorkerRequest } from "./redact.ts";

serveWorker(({ text, value, ...options }: WorkerRequest) => {
  const redactor = createRedactor(options);
  return text === undefined ? redactor.value(value) : redactor.text(text);
});
