import { workerData } from "node:worker_threads";
import { serveWorker } from "../../../lib/worker-thread.ts";
import { openConnection } from "../connection.ts";
import { toRead, type Statement } from "../reader.ts";

const read = toRead(openConnection({ file: workerData as string, readonly: true }));
serveWorker(({ sql, parameters }: Statement) => read(sql, parameters));
