import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DAY_MS, systemClock } from "../../../lib/clock.ts";
import { BACKUP_DAYS, type Report } from "../../contract.ts";

/** Removes old backups made before migrations, because they contain text that was deleted later. */
export function removeOldBackups(file: string, report: Report): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.before-v`)) continue;
    const path = join(folder, name);
    const isOld = systemClock.now() - statSync(path).mtimeMs > BACKUP_DAYS * DAY_MS;
    if (!isOld && !name.endsWith(".part")) continue;
    rmSync(path, { force: true });
    report("info", `Removed the backup ${path}, made before an upgrade.`);
  }
}
