import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BACKUP_DAYS, type Report, type Store } from "../contract.ts";
import { refuseUnfinished, UNFINISHED } from "../copy/unfinished.ts";
import { DamagedPageError } from "../failure.ts";
import { createReadiness } from "../readiness.ts";
import { createReads, type Dialect } from "../reads/reads.ts";
import { databaseBytes, freeBytes, nowMs, openConnection, toJson } from "./connection.ts";
import { compact, compactOnce, secureSearch } from "./file/compact.ts";
import { toDamaged, toSqliteError, toStartupFailure } from "./file/failure.ts";
import { takeLock, type Lock } from "./file/lock.ts";
import { protectFiles } from "./file/protect.ts";
import { startCheck, type Check } from "./file/start-check.ts";
import { ensureMeta, migrate, readMeta, writeMeta } from "./migrate.ts";
import { openReaders } from "./reader.ts";
import { holdsTerms, listParameter, search } from "./search.ts";
import { createCommitSender } from "./commit-sender.ts";
import { restoreJournal } from "./journal.ts";
import { createTails } from "./tails.ts";
import { startWriter } from "./start-writer.ts";
import { DAY_MS, systemClock } from "../../lib/clock.ts";

type Options = {
  readonly file: string;
  /** NORMAL is for the power-loss control only: it loses acknowledged commits. */
  readonly synchronous?: "FULL" | "NORMAL";
  readonly report?: Report;
};
type ServeOptions = Required<Options> & { readonly lock: Lock; readonly wasClean: boolean };

export async function openSqlite({ file, synchronous = "FULL", report = () => {} }: Options): Promise<Store> {
  let lock: Lock | undefined;
  try {
    protectFiles(file, report);
    lock = takeLock(file);
    removeOldBackups(file, report);
    const wasClean = prepare({ file, synchronous, report });
    return await serve({ file, synchronous, report, lock, wasClean });
  } catch (error) {
    lock?.release();
    throw toStartupFailure(error, file);
  }
}

/** Reads settled rows only: current deltas are in the memory of the running server. */
export function openSqliteForReading(file: string): Pick<Store, "read" | "close"> {
  if (!existsSync(file)) throw new Error(`No database found at ${file}. Set STONECHAT_DATA to its folder.`);
  const readers = openReaders({ file, synchronous: "FULL", toFailure: (error) => toSqliteError(error, file) });
  const inSnapshot: Dialect["inSnapshot"] = (db, read) => read(db);
  return {
    read: createReads(readers.single, {
      nowMs,
      databaseBytes,
      freeBytes,
      toJson,
      listParameter,
      search,
      holdsTerms,
      inSnapshot,
    }),
    close: readers.close,
  };
}

export function compactSqlite(file: string): void {
  if (!existsSync(file)) throw new Error(`No database found at ${file}. Set STONECHAT_DATA to its folder.`);
  const lock = takeLock(file);
  try {
    const db = openConnection({ file });
    compact(db);
    db.close();
  } catch (error) {
    throw toStartupFailure(error, file);
  } finally {
    lock.release();
  }
}

async function serve({ file, synchronous, report, lock, wasClean }: ServeOptions): Promise<Store> {
  const toReadFailure = (error: unknown): Error => {
    const failure = toSqliteError(error, file);
    if (failure instanceof DamagedPageError) readiness.reportDamage(failure);
    return failure;
  };
  const readers = openReaders({ file, synchronous, toFailure: toReadFailure });
  let check: Check | undefined;
  const tails = createTails();
  let isLost = false;
  const writer = await startWriter({
    file,
    synchronous,
    onAnswer: () => {
      if (isLost) tails.clear();
      isLost = false;
      readers.refresh();
    },
    onLost: async (error) => {
      isLost = true;
      report("error", `The database writer thread ended and is restarted: ${error.message}`);
      // With no connection left, SQLite rebuilds its index of the WAL, as a failed sync requires.
      await check?.end();
      await readers.reopen();
    },
  });
  const readiness = createReadiness({
    probe: (text) => writer.ask({ do: "probe", text }),
  });
  const commits = createCommitSender(writer, tails);
  if (!wasClean) check = startCheck({ file, report, onDamage: readiness.reportDamage });
  const cleaning = setInterval(() => removeOldBackups(file, report), DAY_MS).unref();
  return {
    kind: "sqlite",
    commit: async (batches) => {
      const written = readers.writing(new Set(batches.flatMap(({ writes }) => writes.map(({ table }) => table))));
      const results = await readiness.watch(commits.commit(batches)).finally(written);
      const damage = results.find((result) => !result.ok && result.why === "failed" && isDamage(result.message));
      if (damage && "message" in damage) readiness.reportDamage(toDamaged(file, damage.message));
      return results;
    },
    read: createReads(readers.single, {
      nowMs,
      databaseBytes,
      freeBytes,
      toJson,
      listParameter,
      search: (_, query) => search(readers.apart, query),
      scans: readers.scans,
      holdsTerms,
      live: tails,
      settled: commits.settled,
      inSnapshot: (_, read) => readers.together(commits.whenQuiet, tails.capture, read),
    }),
    renewLeases: (holder, streams, ttlMs) => writer.ask({ do: "renew", holder, streams, ttlMs }),
    onForeignCommit: () => {},
    sendNotice: () => {},
    onNotice: () => {},
    readTime: null,
    ping: readiness.check,
    close: async () => {
      clearInterval(cleaning);
      const isChecked = check?.isDone() ?? true;
      await check?.end();
      try {
        await readers.close();
        await writer.close();
        if (isChecked && !readiness.isDamaged()) markStopped(file, synchronous);
      } finally {
        lock.release();
      }
    },
  };
}

/** Migrates the schema, restores the journal and clears old leases. Returns whether the last stop was clean. */
function prepare({ file, synchronous, report }: Required<Options>): boolean {
  const hadWal = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const db = openConnection({ file, synchronous });
  try {
    ensureMeta(db);
    refuseUnfinished(readMeta(db, UNFINISHED), file);
    const stopped = readMeta(db, "stopped");
    if (stopped === "no" && !hadWal) report("warn", toLostWal(file));
    migrate(db, file);
    secureSearch(db);
    if (stopped === "clean") compactOnce(db, file, report);
    writeMeta(db, "stopped", "no");
    db.transaction(() => restoreJournal(db)).immediate();
    // As after a writer that ended (startEmptyWal), but another process that reads the file is no reason not to start.
    if (hadWal) db.pragma("wal_checkpoint(truncate)");
    db.prepare("update streams set epoch = epoch + 1, holder = null, lease_until = 0 where holder is not null").run();
    return stopped === "clean" || stopped === undefined;
  } finally {
    db.close();
  }
}

/** A clean stop removes the WAL, a crash leaves it. */
const toLostWal = (file: string): string =>
  `${file} was in use when it was last written, and ${file}-wal is missing. If this is a copy, its newest messages may be ` +
  "missing: copy stonechat.db-wal too, or make copies with `stonechat backup`.";

const isDamage = (message: string): boolean => message.startsWith("SQLITE_CORRUPT");

function markStopped(file: string, synchronous: "FULL" | "NORMAL"): void {
  const db = openConnection({ file, synchronous });
  writeMeta(db, "stopped", "clean");
  db.close();
}

/** Removes old backups made before migrations, because they contain text that was deleted later. */
function removeOldBackups(file: string, report: Report): void {
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
