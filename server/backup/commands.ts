import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Config } from "../config/config.ts";
import { readInstanceKey, refuseOtherKey, storeInstanceKey } from "../config/instance-key.ts";
import { VERSION } from "../config/version.ts";
import { systemClock } from "../lib/clock.ts";
import { formatBytes } from "../lib/format-bytes.ts";
import { copyRows, openSource, openTarget, toFingerprint } from "../store/copy/copy.ts";
import type { OnProgress, DatabaseLocation, RowSource } from "../store/copy/copy.ts";
import { openBackup, verifyBackup } from "./open-backup.ts";
import { createProgress } from "./progress.ts";
import { writeBackup } from "./write-backup.ts";

/** The commands `backup`, `restore` and `move`. Each returns an exit code, or throws a sentence. */
type Command = (config: Config, args: readonly string[], say: (line: string) => void) => Promise<number>;

/** `backup [FOLDER or FILE] [--without-key] [--keep N]` */
export const runBackup: Command = async (config, args, say) => {
  const { values, positionals } = parse(args, { "without-key": { type: "boolean" }, keep: { type: "string" } });
  const to = positionals[0] ?? config.backup.folder;
  if (to === null) throw new Error("Name a folder or a file that ends in .backup, or set STONECHAT_BACKUP_FOLDER.");
  const { passphrase } = config.backup;
  const key = values["without-key"] === true ? null : readInstanceKey(config.dataDir, config.secretKey);
  const written = await withProgress((onProgress) =>
    writeBackup(
      {
        ...{ place: toLocation(config), to, passphrase, key, program: VERSION, now: systemClock.now() },
        keep: values.keep === undefined ? null : toCount(values.keep),
      },
      onProgress,
    ),
  );
  const size = formatBytes(written.newBytes);
  say(`The backup ${written.path} has ${written.rows} rows and was verified.`);
  say(`${written.newChunks} of its ${written.chunks} chunks are new (${size}).`);
  if (passphrase === null) say(toPlainNote(key !== null));
  if (key === null) say("It does not have the instance key. Store secret.key in another safe place.");
  return 0;
};

/** `restore [BACKUP] [--to URL or FOLDER]` */
export const runRestore: Command = async (config, args, say) => {
  const { values, positionals } = parse(args, { to: { type: "string" } });
  const at = positionals[0] ?? config.backup.folder;
  if (at === null) throw new Error("Name the backup: a file that ends in .backup, or a folder with backups.");
  const target = toTarget(config, values.to);
  const backup = openBackup(resolve(at), config.backup.passphrase);
  const { key } = backup.manifest;
  if (key !== null) refuseOtherKey(target.directory, target.secretKey, key);
  const rows = await withProgress(async (onProgress) => {
    await verifyBackup(backup, onProgress);
    return copy(backup, target, { mark: `restore ${backup.fingerprint}`, key, onProgress });
  });
  say(
    `Restored ${rows} rows of ${backup.path}, made on ${backup.header.createdAt} with Stonechat ${backup.manifest.program}.`,
  );
  if (key === null)
    say(
      `The backup does not have the instance key. Copy your secret.key to ${resolve(target.directory)}, or set provider keys again.`,
    );
  say(toNextStep(target));
  return 0;
};

/** `move --to URL or FOLDER` */
export const runMove: Command = async (config, args, say) => {
  const { values } = parse(args, { to: { type: "string" } });
  if (values.to === undefined) throw new Error("Name the target: --to with a PostgreSQL URL or a folder for SQLite.");
  const target = toTarget(config, values.to);
  const isSame = target.databaseUrl === config.databaseUrl && resolve(target.directory) === resolve(config.dataDir);
  if (isSame) throw new Error("The target is the configured database itself. Name another folder or URL.");
  const key = readInstanceKey(config.dataDir, config.secretKey);
  if (key !== null) refuseOtherKey(target.directory, target.secretKey, key);
  const from = toLocation(config);
  const mark = `move ${toFingerprint(config.databaseUrl ?? resolve(config.dataDir))}`;
  const source = await openSource(from, true);
  const rows = await withProgress((onProgress) => copy(source, target, { mark, key, onProgress }));
  say(`Moved ${rows} rows. Every table was compared and is equal. The source is unchanged.`);
  say(toNextStep(target));
  return 0;
};

type Target = DatabaseLocation & { readonly secretKey: string | null };

/** A URL needs the configured data folder too, for the key. */
function toTarget({ dataDir, databaseUrl, secretKey }: Config, to: string | undefined): Target {
  if (to === undefined) return { directory: dataDir, databaseUrl, secretKey };
  if (/^postgres(ql)?:\/\//.test(to) && URL.canParse(to)) return { directory: dataDir, databaseUrl: to, secretKey };
  if (to.includes("://")) throw new Error("The target must be a folder or a URL such as postgres://user@host/name.");
  return { directory: resolve(to), databaseUrl: null, secretKey };
}

const toLocation = ({ dataDir, databaseUrl }: Config): DatabaseLocation => ({ directory: dataDir, databaseUrl });

type CopyOptions = { readonly mark: string; readonly key: string | null; readonly onProgress: OnProgress };

/** Closes the source. The key goes first, because a server that starts without it would make another one. */
async function copy(
  source: RowSource,
  { directory, databaseUrl, secretKey }: Target,
  { mark, key, onProgress }: CopyOptions,
): Promise<number> {
  try {
    const target = await openTarget({ directory, databaseUrl, version: source.version, mark });
    try {
      if (key !== null && secretKey === null) storeInstanceKey(directory, key);
      const rows = await copyRows(source, target, onProgress);
      await target.finish();
      return rows;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function withProgress<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const { onProgress, end } = createProgress(process.stdout);
  try {
    return await work(onProgress);
  } finally {
    end();
  }
}

type Flags = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function parse<F extends Flags>(args: readonly string[], options: F) {
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error("--keep must be a whole number from 1 to 99999.");
}

const toPlainNote = (hasKey: boolean): string =>
  `It is not encrypted: anyone who has it can read every message${hasKey ? " and, with the instance key in it, every provider key" : ""}. ` +
  "Set STONECHAT_BACKUP_PASSPHRASE to encrypt backups.";

const toNextStep = ({ directory, databaseUrl }: DatabaseLocation): string =>
  databaseUrl === null
    ? `Set STONECHAT_DATA=${resolve(directory)} without STONECHAT_DATABASE_URL, then start the server.`
    : `Set STONECHAT_DATABASE_URL to the new database and STONECHAT_DATA=${resolve(directory)}, then start the server.`;
