import { DamagedPageError, StorageFull, Unavailable } from "../../failure.ts";

/** Converts SQLite errors to errors that callers of the store handle. Anything else is a bug and is returned unchanged. */
export function toSqliteError(error: unknown, file: string): Error {
  const { message = String(error), code = "" } = error as { message?: string; code?: string };
  if (code === "SQLITE_FULL") return new StorageFull("The disk is full. Free some space and try again.");
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) return toDamaged(file, message);
  if (/^SQLITE_IOERR_(?:READ|SHORT_READ|CORRUPTFS|DATA|MMAP)/.test(code)) {
    return new DamagedPageError(
      `${file} cannot be read (${message}, ${code}). Check the disk, then restart the server.`,
      false,
    );
  }
  if (/^SQLITE_(?:IOERR|BUSY|CANTOPEN|READONLY|PERM)/.test(code)) {
    return new Unavailable(`The database cannot be written: ${message} (${code}).`);
  }
  return error instanceof Error ? error : new Error(message);
}

/** SQLite reports a read that the disk refused (EIO) as a damaged database, too: hence the hint at the disk. */
export const toDamaged = (file: string, found: string): DamagedPageError =>
  new DamagedPageError(
    `${file} is damaged (${found}). Check the disk, then restore a backup, or move the file away to start empty.`,
    true,
  );

/** The same for errors at startup. Each message has the file and a remedy. */
export function toStartupFailure(error: unknown, file: string): Error {
  const { message = String(error), code = "" } = error as { message?: string; code?: string };
  const failure = toSqliteError(error, file);
  if (failure instanceof DamagedPageError) return failure;
  if (code === "SQLITE_FULL" || code === "ENOSPC") {
    return new Error(`The disk that holds ${file} is full. Free some space, or set STONECHAT_DATA to another folder.`);
  }
  if (/^SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/.test(code) || /^E(?:ACCES|PERM|ROFS|NOTDIR|ISDIR|EXIST)$/.test(code)) {
    return new Error(
      `${file} cannot be opened for writing (${message}). Give this user write access to the file and its folder, ` +
        "or set STONECHAT_DATA to another folder.",
    );
  }
  if (code.startsWith("SQLITE_")) {
    return new Error(`${file} cannot be opened (${message}, ${code}). Check the disk, or restore a backup.`);
  }
  return failure;
}
