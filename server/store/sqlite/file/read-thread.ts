import { workerData } from "node:worker_threads";
import { serveWorker } from "../../../lib/worker-thread.ts";
import { openConnection, toRead, type Statement } from "../connection.ts";

const read = toRead(openConnection({ file: workerData as string, readonly: true }));
serveWorker(({ sql, parameters }: Statement) => read(sql, parameters));
