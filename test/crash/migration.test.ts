import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrations } from "../../server/store/migrations/migrations.ts";
import { ensureMeta, migrate } from "../../server/store/sqlite/migrate.ts";
import { createFolder } from "../support/server/run-command.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { spawnMain } from "../support/server/child.ts";
import { query, type Place } from "../support/server/database.ts";
import { until } from "../support/server/until.ts";

/** The next step splits the contents of files, which takes a while here. */
const OLD = 12;
const FILES = 24;

const oldRows = [
  "insert into users (id, created_at) values ('local', 1)",
  ...Array.from(
    { length: FILES },
    (_, n) =>
      `insert into attachment_blobs (owner, hash, body) values ('local', 'h${n}', '${String(n).repeat(2_000_000)}')`,
  ),
  `insert into threads (id, owner, title, title_source, preview, profile, model, status, pinned, archived, message_count, branch,
     created_at, updated_at) values ('t', 'local', 'from before', 'person', '', 'stone', 'offline/stone', 'idle', 0, 0, 0, 'main', 1, 1)`,
];

async function prepareSqlite(): Promise<Place> {
  const dataDir = createFolder();
  const file = join(dataDir, "stonechat.db");
  const db = new Database(file);
  ensureMeta(db);
  migrate(db, file, migrations.slice(0, OLD));
  for (const sql of oldRows) db.exec(sql);
  db.close();
  return { dataDir };
}

async function preparePostgres(): Promise<Place> {
  const databaseUrl = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("create table meta (key text primary key, value text not null)");
  for (const sql of migrations.slice(0, OLD).flatMap(({ postgres }) => postgres)) await client.query(sql);
  await client.query("insert into meta (key, value) values ('version', $1)", [String(OLD)]);
  for (const sql of oldRows) await client.query(sql);
  await client.end();
  return { dataDir: createFolder(), databaseUrl };
}

const hasBackup = async ({ dataDir, databaseUrl }: Place): Promise<boolean> => {
  if (databaseUrl === undefined) return existsSync(join(dataDir, `stonechat.db.before-v${migrations.length}`));
  const place = { dataDir, databaseUrl };
  return (await query(place, "select 1 from pg_namespace where nspname = 'stonechat_backup_v12'")).length === 1;
};

/** The schema versions of all backups. */
async function listBackups({ dataDir, databaseUrl }: Place): Promise<readonly number[]> {
  if (databaseUrl !== undefined) {
    const sql = "select substr(nspname, 19) as version from pg_namespace where nspname like 'stonechat_backup_v%'";
    return (await query<{ version: string }>({ dataDir, databaseUrl }, sql)).map(({ version }) => Number(version));
  }
  return readdirSync(dataDir)
    .filter((name) => name.includes("before-v"))
    .map((name) => {
      const db = new Database(join(dataDir, name), { readonly: true });
      const version = Number(db.prepare("select value from meta where key = 'version'").pluck().get());
      db.close();
      return version;
    });
}

const cases = [
  { name: "SQLite", prepare: prepareSqlite },
  ...(findPostgres() ? [{ name: "PostgreSQL", prepare: preparePostgres }] : []),
];

test.each(cases)(
  "a server that is killed in the middle of a migration on $name migrates at the next start, and the backup stays the one of the old version",
  async ({ prepare }) => {
    const place = await prepare();
    const versionOf = async (): Promise<number> => {
      const [row] = await query<{ value: string }>(place, "select value from meta where key = 'version'");
      return Number(row?.value);
    };
    const env = {
      STONECHAT_DATA: place.dataDir,
      STONECHAT_PORT: "0",
      STONECHAT_LOG: "error",
      ...(place.databaseUrl === undefined ? {} : { STONECHAT_DATABASE_URL: place.databaseUrl }),
    };
    const interrupted: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const child = spawnMain(env);
      onTestFinished(() => child.signal("SIGKILL"));
      await until("the migration has made its backup", () => hasBackup(place));
      child.signal("SIGKILL");
      await child.exited;
      interrupted.push(await versionOf());
    }
    expect(interrupted.filter((version) => version < migrations.length).length).toBeGreaterThan(0);
    const server = spawnMain(env);
    onTestFinished(() => server.signal("SIGKILL"));
    await server.said("Stonechat is ready");
    expect(await versionOf()).toBe(migrations.length);
    const [pieces] = await query<{ n: number | string }>(place, "select count(*) as n from attachment_pieces");
    expect(Number(pieces?.n)).toBeGreaterThan(FILES);
    expect(await query(place, "select title from threads")).toEqual([{ title: "from before" }]);
    expect(await query(place, "select value from meta where key = 'migrating'")).toEqual([]);
    expect(await listBackups(place)).toEqual([OLD]);
    server.signal("SIGTERM");
    await server.exited;
    if (place.databaseUrl !== undefined) return;
    const db = new Database(join(place.dataDir, "stonechat.db"), { readonly: true });
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(db.pragma("foreign_key_check")).toEqual([]);
    db.close();
  },
);
