import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isOpenToOthers, PRIVATE_FILE, PRIVATE_FOLDER, removeOthersAccess } from "../../../lib/file-modes.ts";
import type { Report } from "../../contract.ts";

/** World-writable or sticky, such as /tmp: a folder shared with other users. */
const SHARED = 0o1002;

/** Makes the folder and its database files readable only for this user. SQLite gives the WAL the mode of the database. */
export function protectFiles(file: string, report: Report): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  refuseLostDatabase(file);
  for (const path of [file, `${file}.lock`]) closeSync(openSync(path, "a", PRIVATE_FILE));
  protectFolder(folder, report);
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(file)));
  const opened = names.filter((name) => removeOthersAccess(join(folder, name), PRIVATE_FILE));
  if (opened.length > 0)
    report("warn", `Files in ${folder} were readable by other users and are now 0600: ${opened.join(", ")}.`);
}

function protectFolder(folder: string, report: Report): void {
  if (!isOpenToOthers(folder)) return;
  const mode = statSync(folder).mode & 0o7777;
  const name = `${folder} (mode ${mode.toString(8).padStart(4, "0")})`;
  if ((mode & SHARED) !== 0) {
    report("warn", `${name} is shared with other users. Set STONECHAT_DATA to a separate folder.`);
  } else if (removeOthersAccess(folder, PRIVATE_FOLDER)) {
    report("warn", `${name} was open to other users. Its mode is now 0700.`);
  } else report("warn", `${name} is open to other users and owned by another one. Run chmod 700 on it.`);
}

/** Otherwise SQLite would create an empty database and delete the WAL with its commits. */
function refuseLostDatabase(file: string): void {
  const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);
  const wal = `${file}-wal`;
  if (sizeOf(file) > 0 || sizeOf(wal) === 0) return;
  throw new Error(
    `${file} is ${existsSync(file) ? "empty" : "missing"}, but ${wal} has committed changes that belong to it. ` +
      `Put the database file back next to it, or move ${wal} away to start empty.`,
  );
}
