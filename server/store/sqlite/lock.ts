import Database from "better-sqlite3";
import { writeFileSync, readFileSync } from "node:fs";
import { PRIVATE_FILE } from "../../lib/file-modes.ts";

/** Held for the life of the process and dropped by the system when it dies, however it dies. */
export type Lock = { readonly release: () => void };

/** One process holds a database file. The lock is a database of its own, locked whole; a note beside it says by whom. */
export function takeLock(file: string): Lock {
  const note = `${file}.owner`;
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma("journal_mode = delete");
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new Error(`${file} is in use by ${readNote(note)}. Stop it, or set STONECHAT_DATA to another folder`);
  }
  writeFileSync(note, `process ${process.pid}`, { mode: PRIVATE_FILE });
  return { release: () => lock.close() };
}

function readNote(note: string): string {
  try {
    return readFileSync(note, "utf8");
  } catch {
    return "another process";
  }
}
