import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { migrations } from "./migrations/migrations.ts";

/** The state of a database, for the command line. */
export type InspectedStore = {
  /** Version of its tables; 0: none yet. */
  readonly version: number;
  /** The newest version that this program knows. */
  readonly newest: number;
  readonly bytes: number;
  /** The first fault of an SQLite file, unless it is too large to be read completely. */
  readonly damage?: string;
  /** Only PostgreSQL has its own version and clock. */
  readonly server?: { readonly version: string; readonly clockMs: number };
};

type Options = { readonly directory: string; readonly databaseUrl: string | null };

const newest = migrations.length;

/** Reads the database while a server may be running: nothing is locked, migrated or written. */
export async function inspectStore({ directory, databaseUrl }: Options): Promise<InspectedStore> {
  if (databaseUrl === null) return inspectFile(join(directory, "stonechat.db"));
  const { checkSettings, withClient } = await import("./postgres/connection.ts");
  return withClient(databaseUrl, async (client) => {
    await checkSettings(client);
    const { rows } = await client.query<{ has_meta: boolean; bytes: number; version: string; clock: string }>(
      `select to_regclass('meta') is not null as has_meta, pg_database_size(current_database()) as bytes,
              current_setting('server_version') as version, extract(epoch from clock_timestamp())::text as clock`,
    );
    const { has_meta: hasMeta = false, bytes = 0, version = "", clock = "0" } = rows[0] ?? {};
    const sql = "select value from meta where key = 'version'";
    const stored = hasMeta ? (await client.query<{ value: string }>(sql)).rows[0]?.value : undefined;
    return { version: Number(stored ?? 0), newest, bytes, server: { version, clockMs: Number(clock) * 1000 } };
  });
}

function inspectFile(file: string): InspectedStore {
  if (!existsSync(file)) return { version: 0, newest, bytes: 0 };
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const hasMeta = db.prepare("select 1 from sqlite_schema where name = 'meta'").get() !== undefined;
    const read = "select value from meta where key = 'version'";
    const version = hasMeta ? db.prepare<[], string>(read).pluck().get() : undefined;
    const bytes = sizeOf(file);
    const found = bytes > MOST_CHECKED_BYTES ? "ok" : findDamage(db);
    return { version: Number(version ?? 0), newest, bytes, ...(found === "ok" ? {} : { damage: found }) };
  } finally {
    db.close();
  }
}

/** A check reads the whole file. */
const MOST_CHECKED_BYTES = 5e9;

function findDamage(db: Database.Database): string {
  try {
    const found = String(db.pragma("quick_check(1)", { simple: true }));
    return found.replaceAll(/\s+/g, " ").slice(0, 200);
  } catch (error) {
    return (error as Error).message;
  }
}

/** The size of the file and of those that belong to it. */
const sizeOf = (file: string): number =>
  readdirSync(dirname(file))
    .filter((name) => name.startsWith(basename(file)))
    .reduce((sum, name) => sum + (statSync(join(dirname(file), name), { throwIfNoEntry: false })?.size ?? 0), 0);
