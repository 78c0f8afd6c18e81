import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../contract.ts";
import { createReads, type Dialect } from "../reads/reads.ts";
import { nowMs, toJson } from "./commit.ts";
import { openConnection, type Connection } from "./connection.ts";
import { takeLock, type Lock } from "./lock.ts";
import { ensureMeta, migrate, readMeta, writeMeta } from "./migrate.ts";
import { openReaders } from "./reader.ts";
import { holdsTerms, search } from "./search.ts";
import { createCommits } from "./commits.ts";
import { restoreJournal } from "./deltas/journal.ts";
import { createTails } from "./deltas/tails.ts";
import { startWriter } from "./start-writer.ts";

type Options = {
  readonly file: string;
  /** NORMAL is for the power-loss control only: it loses acknowledged commits. */
  readonly synchronous?: "FULL" | "NORMAL";
};

export async function openSqlite({ file, synchronous = "FULL" }: Options): Promise<Store> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = takeLock(file);
  try {
    prepare(file, synchronous);
    return await serve(file, synchronous, lock);
  } catch (error) {
    lock.release();
    throw isDamage(error) ? toDamage(file, (error as Error).message) : error;
  }
}

/** Settled rows only: deltas on their way are the running server's. */
export function openSqliteForReading(file: string): Pick<Store, "read" | "close"> {
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`);
  const readers = openReaders(file, "FULL");
  const inSnapshot: Dialect["inSnapshot"] = (db, read) => read(db);
  return { read: createReads(readers.single, { nowMs, toJson, search, holdsTerms, inSnapshot }), close: readers.close };
}

async function serve(file: string, synchronous: "FULL" | "NORMAL", lock: Lock): Promise<Store> {
  const readers = openReaders(file, synchronous);
  const writer = await startWriter(file, synchronous, readers.refresh);
  const tails = createTails();
  const commits = createCommits(writer, tails);
  return {
    kind: "sqlite",
    commit: commits.commit,
    read: createReads(readers.single, {
      nowMs,
      toJson,
      search,
      holdsTerms,
      live: tails,
      settled: commits.settled,
      inSnapshot: (_, read) => readers.together(commits.whenQuiet, tails.capture, read),
    }),
    renewLeases: (holder, streams, ttlMs) => writer.ask({ do: "renew", holder, streams, ttlMs }),
    onForeignCommit: () => {},
    ping: async () => void (await writer.ask({ do: "commit", batches: "[]" })),
    close: async () => {
      await readers.close();
      await writer.close();
      markStopped(file, synchronous);
      lock.release();
    },
  };
}

/** Before anyone is served: schema, a check of the file if the last stop was not clean, and no lease of an earlier start. */
function prepare(file: string, synchronous: "FULL" | "NORMAL"): void {
  const db = openConnection({ file, synchronous });
  try {
    ensureMeta(db);
    if (readMeta(db, "stopped") !== "clean") checkIntegrity(db, file);
    migrate(db, file);
    writeMeta(db, "stopped", "no");
    db.transaction(() => restoreJournal(db)).immediate();
    db.prepare("update streams set epoch = epoch + 1, holder = null, lease_until = 0 where holder is not null").run();
  } finally {
    db.close();
  }
}

function checkIntegrity(db: Connection, file: string): void {
  const found = db.pragma("quick_check(1)", { simple: true });
  if (found !== "ok") throw toDamage(file, String(found).replace(/^.*\n/, ""));
}

const toDamage = (file: string, found: string): Error =>
  new Error(`${file} is damaged (${found}). Restore a backup, or move the file away to start empty`);

const isDamage = (error: unknown): boolean =>
  ["SQLITE_CORRUPT", "SQLITE_NOTADB"].some((code) => (error as { code?: string }).code?.startsWith(code));

function markStopped(file: string, synchronous: "FULL" | "NORMAL"): void {
  const db = openConnection({ file, synchronous });
  writeMeta(db, "stopped", "clean");
  db.close();
}
