import { openConnection, type Connection } from "./connection.ts";

/**
 * After a failed fsync the system counts the file's pages as written, and no later fsync writes them again. A commit is not
 * affected: its frames in the WAL are discarded and written again. A checkpoint is: part of its pages may have been copied by
 * earlier ones, which SQLite does not copy again. If a later checkpoint succeeded, the WAL would be overwritten, and with it
 * the only copy of those pages on the disk. So the file is closed without a checkpoint and opened again. SQLite then rebuilds
 * its index of the WAL and copies every page of it.
 */
export const FAILED_SYNC = "SQLITE_IOERR_FSYNC";
export const isFailedSync = (code: string | undefined): boolean => code === FAILED_SYNC;

/** SQLite checkpoints when the last connection that can write is closed, unless another one is open. */
export function closeWithoutCheckpoint(db: Connection, file: string): void {
  const reader = openConnection({ file, readonly: true });
  reader.prepare("select 1 from meta").get();
  db.close();
  reader.close();
}

/** Fails if SQLite has not rebuilt its index, because another process had the file open. */
export function checkReopened(db: Connection): void {
  const state = db.prepare<[], { readonly checkpointed: number }>("pragma wal_checkpoint(noop)").get();
  if (!state || state.checkpointed <= 0) return;
  const message = "the file must be opened again after a failed sync. Stop other programs that have it open";
  throw Object.assign(new Error(message), { code: FAILED_SYNC });
}

/**
 * The WAL of a writer that ended may have frames of a commit whose sync failed. They are valid in the system's memory but may be
 * missing on the disk, and SQLite discards every frame after a missing one. So nothing may be appended to them: all pages are
 * copied into the database, and the WAL is truncated. Fails if that is not possible yet.
 */
export function startEmptyWal(db: Connection): void {
  const result = db.prepare<[], { readonly busy: number }>("pragma wal_checkpoint(truncate)").get();
  if (result?.busy === 0) return;
  throw Object.assign(new Error("the WAL cannot be emptied while it is read"), { code: "SQLITE_BUSY" });
}
