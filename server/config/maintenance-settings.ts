import { z } from "zod";

/** Backups that the server makes itself, and what it deletes after a time. */
export const maintenanceSettings = {
  STONECHAT_BACKUP_FOLDER: {
    schema: z.string().max(4_000, "is too long").optional(),
    about: "Folder in which the server makes backups. Default: the server makes none.",
  },
  STONECHAT_BACKUP_EVERY_HOURS: {
    schema: wholeOf(1, 8_760).default(24),
    about: "Hours between two backups of the server.",
  },
  STONECHAT_BACKUP_KEEP: { schema: wholeOf(1, 10_000).default(7), about: "How many backups stay in the folder." },
  STONECHAT_BACKUP_PASSPHRASE: {
    schema: z.string().min(12, "must have at least 12 characters").max(1_000, "is too long").optional(),
    about: "Passphrase that encrypts backups, at least 12 characters. Default: backups are not encrypted.",
    isSecret: true,
  },
  STONECHAT_ARCHIVE_THREADS_DAYS: {
    schema: wholeOf(7, 36_500).optional(),
    about: "Archives threads that were not changed for this many days, unless they are pinned. Default: never.",
  },
  STONECHAT_DELETE_THREADS_DAYS: {
    schema: wholeOf(7, 36_500).optional(),
    about: "Deletes threads for good that were not changed for this many days, unless they are pinned. Default: never.",
  },
  STONECHAT_DELETE_RECEIPTS_DAYS: {
    schema: wholeOf(7, 36_500).optional(),
    about: "Deletes what *What the model saw* shows of answers older than this many days. Default: never.",
  },
} as const;

export type BackupConfig = {
  /** null: the server makes none. */
  readonly folder: string | null;
  readonly everyMs: number;
  readonly keep: number;
  readonly passphrase: string | null;
};

/** null: never. */
export type RetentionConfig = {
  readonly archiveMs: number | null;
  readonly deleteMs: number | null;
  readonly receiptsMs: number | null;
};

type Values = { readonly [N in keyof typeof maintenanceSettings]: z.infer<(typeof maintenanceSettings)[N]["schema"]> };

export const toMaintenance = (
  values: Values,
): { readonly backup: BackupConfig; readonly retention: RetentionConfig } => ({
  backup: {
    folder: values.STONECHAT_BACKUP_FOLDER ?? null,
    everyMs: values.STONECHAT_BACKUP_EVERY_HOURS * 3_600_000,
    keep: values.STONECHAT_BACKUP_KEEP,
    passphrase: values.STONECHAT_BACKUP_PASSPHRASE ?? null,
  },
  retention: {
    archiveMs: toMs(values.STONECHAT_ARCHIVE_THREADS_DAYS),
    deleteMs: toMs(values.STONECHAT_DELETE_THREADS_DAYS),
    receiptsMs: toMs(values.STONECHAT_DELETE_RECEIPTS_DAYS),
  },
});

const toMs = (days: number | undefined): number | null => (days === undefined ? null : days * 86_400_000);

function wholeOf(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}
