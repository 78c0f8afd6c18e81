import { parentPort, workerData } from "node:worker_threads";
import { openConnection } from "./connection.ts";

/** Moves what the WAL holds into the file whenever it is asked to; a commit beside it is not held up. */
const db = openConnection(workerData as { file: string });
const move = db.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (request: MoverRequest) => {
  if (request === "end") {
    db.close();
    return parentPort?.close();
  }
  try {
    move.get();
  } catch {
    // The disk is full, or the file is held: the pages stay in the WAL, which is as durable, and are moved another time.
  }
  parentPort?.postMessage(null);
});

export type MoverRequest = "move" | "end";
