import { parentPort, workerData } from "node:worker_threads";
import { createCheckpoints } from "./checkpoints.ts";
import { nowMs, openConnection } from "./connection.ts";
import { restoreJournal } from "./journal.ts";
import { createTransact } from "./transact.ts";
import { createErasure } from "./file/erase.ts";

/** The writer thread, so that fsync never blocks the main thread. */
const { file, synchronous } = workerData as { file: string; synchronous: "FULL" | "NORMAL" };
const db = openConnection({ file, synchronous });
// A thread that ended unexpectedly leaves rows in the journal.
db.transaction(() => restoreJournal(db)).immediate();
const transact = createTransact(db);
const checkpoints = createCheckpoints(db, file);
const erasure = createErasure(db, checkpoints);
const probe = db.prepare(
  "insert into meta (key, value) values ('write-probe', ?) on conflict (key) do update set value = excluded.value",
);
const renew = db.prepare(
  `update streams set lease_until = ${nowMs} + ? where id in (select value from json_each(?)) and holder = ?`,
);

parentPort?.on("message", (request: WriterRequest) => {
  if (request.do === "close") return void close();
  try {
    if (request.do !== "commit") return parentPort?.postMessage({ id: request.id, result: answer(request) });
    const batches = JSON.parse(request.batches) as Parameters<typeof transact>[0];
    parentPort?.postMessage({ id: request.id, result: transact(batches) });
    checkpoints.after(request.batches.length);
    erasure.after(batches);
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    parentPort?.postMessage({ id: request.id, error: { message, code } });
  }
});

function answer(request: Exclude<ClientRequest, { do: "commit" }>): unknown {
  switch (request.do) {
    case "renew":
      return renew.run(request.ttlMs, JSON.stringify(request.streams), request.holder).changes;
    case "probe":
      return probe.run(request.text).changes;
  }
}

/** An error here ends the thread with that error; a normal exit means success. */
async function close(): Promise<void> {
  erasure.end();
  await checkpoints.end();
  db.pragma("wal_checkpoint(truncate)");
  db.close();
  parentPort?.close();
}

type ClientRequest = { readonly id: number } & (
  | { readonly do: "commit"; readonly batches: string }
  | { readonly do: "renew"; readonly holder: string; readonly streams: readonly string[]; readonly ttlMs: number }
  | { readonly do: "probe"; readonly text: string }
);
export type WriterRequest = ClientRequest | { readonly do: "close" };
