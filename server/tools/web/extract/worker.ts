import { parentPort } from "node:worker_threads";
import type { Source } from "./page.ts";
import { readPage } from "./read-page.ts";

parentPort?.on("message", (source: Source) => {
  readPage(source).then(
    (page) => parentPort?.postMessage({ page }),
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) }),
  );
});
