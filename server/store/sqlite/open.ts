import { existsSync, writeFileSync, readFileSync } from "node:fs";
import type { Report, Store } from "../contract.ts";
import { Damaged } from "../failure.ts";
import { createReadiness } from "../readiness.ts";
import { createReads, type Dialect } from "../reads/reads.ts";
import { nowMs, openConnection, toJson } from "./connection.ts";
import { removeOldBackups } from "./file/backups.ts";
import { compact, compactOnce, secureSearch } from "./file/compact.ts";
import { toDamaged, toSqliteError, toStartupFailure } from "./file/failure.ts";
import { protectFiles } from "./file/protect.ts";
import { startCheck, type Check } from "./file/start-check.ts";
import { ensureMeta, migrate, readMeta, writeMeta } from "./migrate.ts";
import { openReaders } from "./reader.ts";
import { holdsTerms, search } from "./search.ts";
import { createCommitSender } from "./commit-sender.ts";
import { restoreJournal } from "./journal.ts";
import { createTails } from "./tails.ts";
import { startWriter } from "./start-writer.ts";
import Database from "better-sqlite3";
import { PRIVATE_FILE } from "../../lib/file-modes.ts";
import { DAY_MS } from "../../lib/clock.ts";

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
  return { read: createReads(readers.single, { nowMs, toJson, search, holdsTerms, inSnapshot }), close: readers.close };
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
    if (failure instanceof Damaged) readiness.reportDamage(failure);
    return failure;
  };
  const readers = openReaders({ file, synchronous, toFailure: toReadFailure });
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
    onLost: (error) => {
      isLost = true;
      report("error", `The database writer thread ended and is restarted: ${error.message}`);
    },
  });
  const readiness = createReadiness({
    probe: (text) => writer.ask({ do: "probe", text }),
  });
  const commits = createCommitSender(writer, tails);
  const check: Check | undefined = wasClean
    ? undefined
    : startCheck({ file, report, onDamage: readiness.reportDamage });
  const cleaning = setInterval(() => removeOldBackups(file, report), DAY_MS).unref();
  return {
    kind: "sqlite",
    commit: async (batches) => {
      const results = await readiness.watch(commits.commit(batches));
      const damage = results.find((result) => !result.ok && result.why === "failed" && isDamage(result.message));
      if (damage && "message" in damage) readiness.reportDamage(toDamaged(file, damage.message));
      return results;
    },
    read: createReads(readers.single, {
      nowMs,
      toJson,
      search: (_, query) => search(readers.apart, query),
      holdsTerms,
      live: tails,
      settled: commits.settled,
      inSnapshot: (_, read) => readers.together(commits.whenQuiet, tails.capture, read),
    }),
    renewLeases: (holder, streams, ttlMs) => writer.ask({ do: "renew", holder, streams, ttlMs }),
    onForeignCommit: () => {},
    ping: readiness.check,
    close: async () => {
      clearInterval(cleaning);
      const isChecked = check?.isDone() ?? true;
      await check?.end();
      await readers.close();
      await writer.close();
      if (isChecked && !readiness.isDamaged()) markStopped(file, synchronous);
      lock.release();
    },
  };
}

/** Migrates the schema, restores the journal and clears old leases. Returns whether the last stop was clean. */
function prepare({ file, synchronous, report }: Required<Options>): boolean {
  const db = openConnection({ file, synchronous });
  try {
    ensureMeta(db);
    const stopped = readMeta(db, "stopped");
    migrate(db, file);
    secureSearch(db);
    if (stopped === "clean") compactOnce(db, file, report);
    writeMeta(db, "stopped", "no");
    db.transaction(() => restoreJournal(db)).immediate();
    db.prepare("update streams set epoch = epoch + 1, holder = null, lease_until = 0 where holder is not null").run();
    return stopped === "clean" || stopped === undefined;
  } finally {
    db.close();
  }
}

const isDamage = (message: string): boolean => message.startsWith("SQLITE_CORRUPT");

function markStopped(file: string, synchronous: "FULL" | "NORMAL"): void {
  const db = openConnection({ file, synchronous });
  writeMeta(db, "stopped", "clean");
  db.close();
}

/** Held while the process lives. The operating system releases it when the process dies. */
type Lock = { readonly release: () => void };

/** Only one process may use a database file. The lock is an exclusively locked second database; `.owner` names the process. */
function takeLock(file: string): Lock {
  const note = `${file}.owner`;
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma("journal_mode = delete");
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new Error(`${file} is in use by ${readNote(note)}. Stop it, or set STONECHAT_DATA to another folder.`);
  }
  writeFileSync(note, `process ${process.pid}`, { mode: PRIVATE_FILE });
  return { release: () => lock.close() };
}

function readNote(note: string): string {
  try {
    return readFileSync(note, "utf8");
  } catch {
    return "another process";
  }
}
