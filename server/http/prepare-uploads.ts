import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Longer than any upload takes, so that uploads of other nodes in a shared folder are kept. */
const OLD_MS = 60 * 60_000;

/** Creates the folder for uploads in progress and deletes files that a crash left there. */
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
