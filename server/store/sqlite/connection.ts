import Database from "better-sqlite3";

/** Threads that open a connection import only this file: Kysely would make each of them start four times slower. */
export type Connection = Database.Database;

export const nowMs = "cast(unixepoch('subsec') * 1000 as integer)";
export const freeBytes = "(select freelist_count * page_size from pragma_freelist_count(), pragma_page_size())";
export const databaseBytes = "(select page_count * page_size from pragma_page_count(), pragma_page_size())";
/** A text column as JSON, for `->>`. */
export const toJson = (column: string): string => column;

/** Older versions can lose committed writes when a checkpoint and a second writer race (the WAL-reset bug). */
const VERSION_FLOOR = [3, 51, 3] as const;

export const BUSY_TIMEOUT_MS = 5000;

type Options = { readonly file: string; readonly readonly?: boolean; readonly synchronous?: "FULL" | "NORMAL" };

/** Opens with the settings that durability needs, and fails if one of them did not take effect. */
export function openConnection({ file, readonly = false, synchronous = "FULL" }: Options): Connection {
  const db = new Database(file, { readonly, timeout: BUSY_TIMEOUT_MS });
  try {
    checkVersion(String(db.prepare("select sqlite_version()").pluck().get()));
    // Takes effect on a new file only, before its first page is written.
    if (!readonly) db.pragma("auto_vacuum = incremental");
    if (!readonly) set(db, "journal_mode", "wal", "wal");
    if (!readonly) set(db, "secure_delete", "on", 1);
    set(db, "synchronous", synchronous, synchronous === "FULL" ? 2 : 1);
    set(db, "foreign_keys", "on", 1);
    set(db, "busy_timeout", String(BUSY_TIMEOUT_MS), BUSY_TIMEOUT_MS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function set(db: Connection, name: string, value: string, expected: unknown): void {
  db.pragma(`${name} = ${value}`);
  const actual = db.pragma(name, { simple: true });
  if (actual !== expected)
    throw new Error(`SQLite keeps ${name} at ${String(actual)} instead of ${value} in ${db.name}. Use a local disk.`);
}

export function checkVersion(version: string): void {
  const parts = version.split(".").map(Number);
  for (const [index, floor] of VERSION_FLOOR.entries()) {
    const part = parts[index] ?? 0;
    if (part > floor) return;
    if (part < floor) {
      throw new Error(
        `SQLite ${version} can lose committed writes; ${VERSION_FLOOR.join(".")} or newer is needed. Install again with npm ci.`,
      );
    }
  }
}

/** Limit of the statement cache. Lists of different lengths are different statements. */
const MOST_STATEMENTS = 500;

export type Statement = { readonly sql: string; readonly parameters: readonly unknown[] };
export type Read = (sql: string, parameters: readonly unknown[]) => readonly unknown[];

/** Caches prepared statements, because preparing costs more than running. */
export function toRead(db: Connection): Read {
  const kept = new Map<string, ReturnType<Connection["prepare"]>>();
  return (sql, parameters) => {
    let statement = kept.get(sql);
    if (!statement) {
      if (kept.size >= MOST_STATEMENTS) kept.clear();
      kept.set(sql, (statement = db.prepare(sql)));
    }
    return statement.all(parameters);
  };
}
