import { parentPort, workerData } from "node:worker_threads";
import { createCheckpoints } from "./checkpoints.ts";
import { nowMs, openConnection } from "./connection.ts";
import { checkReopened, closeWithoutCheckpoint, FAILED_SYNC, isFailedSync, startEmptyWal } from "./failed-sync.ts";
import { restoreJournal } from "./journal.ts";
import { createTransact } from "./transact.ts";
import { createErasure } from "./file/erase.ts";

/** The writer thread, so that fsync never blocks the main thread. */
const { file, synchronous, isRestart, isAfterFailedSync } = workerData as WriterOptions;
const db = openConnection({ file, synchronous });
if (isAfterFailedSync) checkReopened(db);
if (isRestart) startEmptyWal(db);
// A thread that ended unexpectedly leaves rows in the journal.
db.transaction(() => restoreJournal(db)).immediate();
const transact = createTransact(db);
const checkpoints = createCheckpoints(db, file, () => void endAfterFailedSync());
const erasure = createErasure(db, checkpoints);
const probe = db.prepare(
  "insert into meta (key, value) values ('write-probe', ?) on conflict (key) do update set value = excluded.value",
);
const renew = db.prepare(
  `update streams set lease_until = ${nowMs} + ? where id in (select value from json_each(?)) and holder = ?`,
);

const failedSync = { message: "a sync of the database failed, and it is opened again", code: FAILED_SYNC };
let isEnding = false;

parentPort?.on("message", (request: WriterRequest) => {
  if (request.do === "close") return void close();
  if (isEnding) return parentPort?.postMessage({ id: request.id, error: failedSync });
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
  if (isEnding) return;
  erasure.end();
  await checkpoints.end();
  // The checkpoint thread may have reported a failed sync.
  if (isEnding) return;
  try {
    db.pragma("wal_checkpoint(truncate)");
  } catch (error) {
    if (isFailedSync((error as { code?: string }).code)) closeWithoutCheckpoint(db, file);
    throw error;
  }
  db.close();
  parentPort?.close();
}

/** Ends the thread with an error. The main thread then reopens the file, and starts a new thread. */
async function endAfterFailedSync(): Promise<void> {
  isEnding = true;
  erasure.end();
  await checkpoints.end();
  closeWithoutCheckpoint(db, file);
  throw Object.assign(new Error(failedSync.message), { code: FAILED_SYNC });
}

export type WriterOptions = {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** An earlier writer thread of this process ended unexpectedly. */
  readonly isRestart: boolean;
  readonly isAfterFailedSync: boolean;
};

type ClientRequest = { readonly id: number } & (
  | { readonly do: "commit"; readonly batches: string }
  | { readonly do: "renew"; readonly holder: string; readonly streams: readonly string[]; readonly ttlMs: number }
  | { readonly do: "probe"; readonly text: string }
);
export type WriterRequest = ClientRequest | { readonly do: "close" };
