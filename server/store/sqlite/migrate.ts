import { existsSync, rmSync } from "node:fs";
import { migrations } from "../migrations/migrations.ts";
import type { Connection } from "./connection.ts";

/**
 * Brings the file to the newest schema: a copy beside it first, then one transaction per step with its version, so a kill
 * at any moment leaves a whole schema of some version.
 */
export function migrate(db: Connection, file: string): void {
  db.exec("create table if not exists meta (key text primary key, value text not null)");
  const version = readVersion(db);
  if (version > migrations.length) {
    throw new Error(`the database is of version ${version}, made by a newer Stonechat; this one knows ${migrations.length}`);
  }
  if (version > 0 && version < migrations.length) backUp(db, `${file}.before-v${migrations.length}`);
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    db.transaction(() => {
      for (const sql of migration.sqlite) db.exec(sql);
      writeMeta(db, "version", String(index + 1));
    }).immediate();
  }
}

export function writeMeta(db: Connection, key: string, value: string): void {
  db.prepare("insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value").run(
    key,
    value,
  );
}

export const readMeta = (db: Connection, key: string): string | undefined =>
  db.prepare<[string], string>("select value from meta where key = ?").pluck().get(key);

const readVersion = (db: Connection): number => Number(readMeta(db, "version") ?? 0);

/** A half-written copy of an earlier, killed try is thrown away: the database itself was not touched then. */
function backUp(db: Connection, copy: string): void {
  if (existsSync(copy)) rmSync(copy);
  db.prepare("vacuum into ?").run(copy);
}
