import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { PRIVATE_FILE } from "../../../lib/file-modes.ts";

/** Held while the process lives. The operating system releases it when the process dies. */
export type Lock = { readonly release: () => void };

/** Only one process may use a database file. The lock is an exclusively locked second database; `.owner` names the process. */
export function takeLock(file: string, advice = "Stop it, or set STONECHAT_DATA to another folder."): Lock {
  const note = `${file}.owner`;
  // Opening a file that exists, and closing it, would release the locks that this process has on it.
  if (!existsSync(`${file}.lock`)) closeSync(openSync(`${file}.lock`, "a", PRIVATE_FILE));
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma("journal_mode = delete");
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new Error(`${file} is in use by ${readNote(note)}. ${advice}`);
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
