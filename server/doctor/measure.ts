import { statfsSync } from "node:fs";
import { findLastBackup } from "../backup/schedule.ts";
import type { Config } from "../config/config.ts";

/** Measurements and limits that `stonechat doctor` and the health view share. */
const LOW_BYTES = 1e9;
const LEAST_BYTES = 100e6;

/** null: the folder cannot be read. */
export function readFreeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

export const judgeSpace = (freeBytes: number): "ok" | "low" | "full" =>
  freeBytes < LEAST_BYTES ? "full" : freeBytes < LOW_BYTES ? "low" : "ok";

export type BackupState = {
  readonly lastAt: number | null;
  readonly everyMs: number;
  readonly isOverdue: boolean;
  readonly isEncrypted: boolean;
};

/** Scheduled backups; null without STONECHAT_BACKUP_FOLDER. */
export function readBackupState({ folder, everyMs, passphrase }: Config["backup"], now: number): BackupState | null {
  if (folder === null) return null;
  const lastAt = findLastBackup(folder) ?? null;
  return {
    lastAt,
    everyMs,
    isOverdue: lastAt !== null && now - lastAt > 2 * everyMs,
    isEncrypted: passphrase !== null,
  };
}
