import { statSync } from "node:fs";
import { createSchedule, type Schedule } from "../jobs/jobs.ts";
import type { Config } from "../config/config.ts";
import { readInstanceKey } from "../config/instance-key.ts";
import { VERSION } from "../config/version.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { createWorkerThread } from "../lib/worker-thread.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import { listBackups } from "./format.ts";
import type { BackupOptions, WrittenBackup } from "./write-backup.ts";

type Options = {
  readonly config: Pick<Config, "backup" | "dataDir" | "databaseUrl" | "secretKey">;
  readonly read: Pick<Reads, "openJobs">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly report: (level: "info" | "error", text: string) => void;
};

/** Backups that the server makes itself, in a separate thread. null without STONECHAT_BACKUP_FOLDER. */
export function createBackupSchedule({ config, read, log, clock, ids, report }: Options): Schedule | null {
  const { folder, everyMs, keep, passphrase } = config.backup;
  if (folder === null) return null;

  const make = async (signal: AbortSignal): Promise<WrittenBackup> => {
    const thread = createWorkerThread<BackupOptions, WrittenBackup>(new URL("./backup-thread.ts", import.meta.url));
    const stop = (): void => void thread.close();
    signal.addEventListener("abort", stop);
    try {
      return await thread.request({
        ...{ place: { directory: config.dataDir, databaseUrl: config.databaseUrl }, to: folder, passphrase, keep },
        ...{ key: readInstanceKey(config.dataDir, config.secretKey), program: VERSION, now: clock.now() },
      });
    } finally {
      signal.removeEventListener("abort", stop);
      await thread.close();
    }
  };

  return createSchedule({
    ...{ kind: "backup", everyMs, read, log, clock, ids },
    findLast: () => findLastBackup(folder),
    work: async (signal) => {
      const { path, rows, newBytes } = await make(signal);
      const size = `${Math.ceil(newBytes / 1e6)} MB`;
      report("info", `Made the backup ${path}: ${rows} rows, ${size} of them new. It was verified.`);
    },
    onGiveUp: ({ message }, nextAt) =>
      report("error", `No backup was made. ${message} The next one is due at ${new Date(nextAt).toISOString()}.`),
  });
}

/** When the newest backup was made. Undefined if there is none, or if the folder cannot be read now: then the job says why. */
export function findLastBackup(folder: string): number | undefined {
  try {
    const newest = listBackups(folder).findLast(({ isOwn }) => isOwn);
    return newest && statSync(newest.path).mtimeMs;
  } catch {
    return undefined;
  }
}
