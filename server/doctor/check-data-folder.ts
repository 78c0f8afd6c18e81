import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isOpenToOthers } from "../lib/file-modes.ts";
import { formatBytes } from "../lib/format-bytes.ts";
import { judgeSpace, readFreeBytes } from "./measure.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

const MORE_SPACE = "Free some space, or set STONECHAT_DATA to a folder on a larger disk.";

export function* checkDataFolder(directory: string): Generator<Finding> {
  const folder = resolve(directory);
  if (!existsSync(folder)) {
    yield isWritable(findExisting(folder))
      ? ok(`the data folder ${folder} does not exist yet: the first start creates it`)
      : problem(`the data folder ${folder} cannot be created`, "Create it, or set STONECHAT_DATA to another folder.");
    return;
  }
  if (!statSync(folder).isDirectory()) {
    yield problem(`${folder} is a file`, "Set STONECHAT_DATA to a folder.");
    return;
  }
  yield isWritable(folder)
    ? ok(`the data folder is ${folder}`)
    : problem(`the data folder ${folder} is not writable for this user`, "Change its owner, or set STONECHAT_DATA.");
  const open = [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter(isOpenToOthers);
  if (open.length > 0)
    yield warning(`other users of this machine can read ${open.slice(0, 5).join(", ")}`, `Run chmod -R go= ${folder}`);
  yield* checkSpace(folder);
}

function* checkSpace(folder: string): Generator<Finding> {
  const free = readFreeBytes(folder);
  if (free === null) return;
  const text = `${formatBytes(free)} free on the disk of the data folder`;
  const space = judgeSpace(free);
  yield space === "full" ? problem(text, MORE_SPACE) : space === "low" ? warning(text, MORE_SPACE) : ok(text);
}

/** Where backups go: a disk that fails takes them with it if it has the data, too. */
export function* checkBackupFolder(given: string, dataDir: string): Generator<Finding> {
  const [folder, data] = [resolve(given), findExisting(resolve(dataDir))];
  const existing = findExisting(folder);
  if (!statSync(existing).isDirectory() || !isWritable(existing))
    yield problem(`backups cannot be written to ${folder}`, "Change its owner, or set STONECHAT_BACKUP_FOLDER.");
  else if (statSync(existing).dev === statSync(data).dev)
    yield warning(`${folder} is on the disk of the data`, "Copy backups to another machine, or use another disk.");
}

const findExisting = (path: string): string => (existsSync(path) ? path : findExisting(dirname(path)));

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
