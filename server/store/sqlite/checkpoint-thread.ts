import { parentPort, workerData } from "node:worker_threads";
import { openConnection } from "./connection.ts";

/** Thread that checkpoints the WAL on request, without blocking concurrent commits. */
const db = openConnection(workerData as { file: string });
const move = db.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (request: CheckpointRequest) => {
  if (request === "end") {
    db.close();
    return parentPort?.close();
  }
  let failure: CheckpointReport = null;
  try {
    move.get();
  } catch (error) {
    // The disk is full or the file is locked. The pages stay in the WAL, which is just as durable, until the next attempt.
    failure = { code: (error as { code?: string }).code };
  }
  parentPort?.postMessage(failure);
});

export type CheckpointRequest = "move" | "end";
/** The error of a checkpoint that failed. */
export type CheckpointReport = { readonly code: string | undefined } | null;
