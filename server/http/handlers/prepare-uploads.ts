import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Longer than any upload takes, so that another node's files in a shared folder are left alone. */
const OLD_MS = 60 * 60_000;

/** The folder for files on their way in, without those that a crash has left. */
export function prepareUploads(dataDir: string, now: number): string {
  const folder = join(dataDir, "uploads");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changedAt > OLD_MS) rmSync(file, { force: true });
  }
  return folder;
}
