import { parentPort, workerData } from "node:worker_threads";
import { createCommit, nowMs } from "./commit.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { openConnection } from "./connection.ts";

/** The writing thread: fsync waits here, so it never holds up the one that serves. */
const { file, synchronous } = workerData as { file: string; synchronous: "FULL" | "NORMAL" };
const db = openConnection({ file, synchronous });
const commit = createCommit(db);
const checkpoints = createCheckpoints(db, file);
const renew = db.prepare(
  `update streams set lease_until = ${nowMs} + ? where id in (select value from json_each(?)) and holder = ?`,
);

parentPort?.on("message", (request: WriterRequest) => {
  if (request.do === "close") return void close();
  try {
    parentPort?.postMessage({ id: request.id, result: answer(request) });
    if (request.do === "commit") checkpoints.after(request.batches.length);
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    parentPort?.postMessage({ id: request.id, error: { message, code } });
  }
});

function answer(request: Answered): unknown {
  switch (request.do) {
    case "commit":
      return commit(JSON.parse(request.batches) as Parameters<typeof commit>[0]);
    case "renew":
      return renew.run(request.ttlMs, JSON.stringify(request.streams), request.holder).changes;
  }
}

/** What fails here is the thread's error, as the end of it is its answer. */
async function close(): Promise<void> {
  await checkpoints.end();
  db.pragma("wal_checkpoint(truncate)");
  db.close();
  parentPort?.close();
}

type Answered = { readonly id: number } & (
  | { readonly do: "commit"; readonly batches: string }
  | { readonly do: "renew"; readonly holder: string; readonly streams: readonly string[]; readonly ttlMs: number }
);
export type WriterRequest = Answered | { readonly do: "close" };
