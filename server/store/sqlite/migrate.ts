import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_FILE } from "../../lib/file-modes.ts";
import { migrations, type Migration } from "../migrations/migrations.ts";
import type { Connection } from "./connection.ts";

/**
 * Migrates the file to the newest schema. Makes a backup first, then runs each step and its version in one transaction, so a
 * crash leaves a complete schema of some version.
 */
export function migrate(db: Connection, file: string, steps: readonly Migration[] = migrations): void {
  const version = readVersion(db);
  if (version > steps.length) {
    throw new Error(
      `${file} has schema version ${version}, made by a newer Stonechat; this one knows ${steps.length}. ` +
        "Start the newer version, or restore a backup of the older one.",
    );
  }
  if (version === steps.length) return;
  const mark = String(steps.length);
  if (version > 0 && readMeta(db, MIGRATING) !== mark) {
    backUp(db, `${file}.before-v${mark}`);
    writeMeta(db, MIGRATING, mark);
  }
  applySteps(db, steps);
  db.prepare("delete from meta where key = ?").run(MIGRATING);
}

/** Key in `meta` while a migration is in progress. If it was interrupted, the backup made before it is not replaced. */
const MIGRATING = "migrating";

/** Without a backup: each step and its version in one transaction. */
export function applySteps(db: Connection, steps: readonly Migration[]): void {
  const version = readVersion(db);
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    db.transaction(() => {
      for (const sql of step.sqlite) db.exec(sql);
      writeMeta(db, "version", String(index + 1));
    }).immediate();
  }
}

/** Creates the table that every version has, before anything else is read. */
export const ensureMeta = (db: Connection): void =>
  void db.exec("create table if not exists meta (key text primary key, value text not null)");

export function writeMeta(db: Connection, key: string, value: string): void {
  db.prepare("insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value").run(
    key,
    value,
  );
}

export const readMeta = (db: Connection, key: string): string | undefined =>
  db.prepare<[string], string>("select value from meta where key = ?").pluck().get(key);

export const readVersion = (db: Connection): number => Number(readMeta(db, "version") ?? 0);

/** Renamed only after it is complete and synced, because SQLite does not sync it. */
function backUp(db: Connection, copy: string): void {
  const part = `${copy}.part`;
  rmSync(part, { force: true });
  closeSync(openSync(part, "w", PRIVATE_FILE));
  db.prepare("vacuum into ?").run(part);
  sync(part);
  renameSync(part, copy);
  sync(dirname(copy));
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
