import Database from "better-sqlite3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrations, type Migration } from "../migrations/migrations.ts";
import { openConnection } from "./connection.ts";
import { ensureMeta, migrate, readMeta } from "./migrate.ts";
import { openSqlite } from "./open.ts";

const second: Migration = { sqlite: ["alter table users add column name text"], postgres: [] };
const broken: Migration = { sqlite: ["alter table users add column name text", "select nonsense"], postgres: [] };

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-migrate-"));
  file = join(folder, "stonechat.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(steps: readonly Migration[]): void {
  const db = openConnection({ file });
  try {
    ensureMeta(db);
    migrate(db, file, steps);
  } finally {
    db.close();
  }
}

const ask = (path: string, sql: string): unknown => {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).pluck().get();
  } finally {
    db.close();
  }
};

function fill(): void {
  run(migrations);
  const db = openConnection({ file });
  db.exec("insert into users (id, created_at) values ('old', 1)");
  db.close();
}

const now = migrations.length;
const next = now + 1;
const versionSql = "select value from meta where key = 'version'";
const columnSql = "select count(*) from pragma_table_info('users') where name = 'name'";

test("creates a new file at the newest version without a backup", () => {
  run([...migrations, second]);
  expect(ask(file, versionSql)).toBe(String(next));
  expect(existsSync(`${file}.before-v${next}`)).toBe(false);
});

test("no index begins another index of its table, so that no write maintains both", () => {
  run(migrations);
  const db = new Database(file, { readonly: true });
  const indexes = db
    .prepare<[], { table: string; name: string; columns: string }>(
      `select t.name as "table", i.name, (select group_concat(name) from (select name from pragma_index_info(i.name)
         order by seqno)) || ',' as columns
         from sqlite_schema t, pragma_index_list(t.name) i where t.type = 'table' and i.partial = 0`,
    )
    .all();
  db.close();
  expect(indexes.length).toBeGreaterThan(50);
  const begun = indexes.filter((one) =>
    indexes.some(
      ({ table, name, columns }) => table === one.table && name !== one.name && columns.startsWith(one.columns),
    ),
  );
  expect(begun).toEqual([]);
});

test("backs up an older file before migrating it", () => {
  fill();
  run([...migrations, second]);
  expect(ask(file, columnSql)).toBe(1);
  expect(ask(`${file}.before-v${next}`, "select id from users")).toBe("old");
  expect(ask(`${file}.before-v${next}`, columnSql)).toBe(0);
  expect(ask(`${file}.before-v${next}`, "pragma integrity_check")).toBe("ok");
});

test("a failed step leaves the previous version and can be retried", () => {
  fill();
  expect(() => run([...migrations, broken])).toThrow("nonsense");
  expect(ask(file, versionSql)).toBe(String(now));
  expect(ask(file, columnSql)).toBe(0);
  run([...migrations, second]);
  expect(ask(file, versionSql)).toBe(String(next));
});

test("replaces an incomplete backup", () => {
  fill();
  writeFileSync(`${file}.before-v${next}.part`, "half a copy");
  run([...migrations, second]);
  expect(ask(`${file}.before-v${next}`, "select id from users")).toBe("old");
  expect(existsSync(`${file}.before-v${next}.part`)).toBe(false);
});

test("a process killed during a step leaves a complete file of the previous version", async () => {
  fill();
  const script = `
    const { openConnection } = await import(${JSON.stringify(join(import.meta.dirname, "connection.ts"))});
    const { migrate } = await import(${JSON.stringify(join(import.meta.dirname, "migrate.ts"))});
    const { migrations } = await import(${JSON.stringify(join(import.meta.dirname, "../migrations/migrations.ts"))});
    const endless = "insert into users (id, created_at) with recursive n (i) as (select 1 union all select i + 1 from n) select 'user ' || i, i from n";
    migrate(openConnection({ file: ${JSON.stringify(file)} }), ${JSON.stringify(file)},
      [...migrations, { sqlite: ["alter table users add column name text", "drop table receipts", endless], postgres: [] }]);`;
  const child = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    await expect.poll(() => existsSync(`${file}.before-v${next}`), { timeout: 20_000 }).toBe(true);
  } finally {
    child.kill("SIGKILL");
  }
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(ask(file, "pragma integrity_check")).toBe("ok");
  expect(ask(file, versionSql)).toBe(String(now));
  expect(ask(file, columnSql)).toBe(0);
  run([...migrations, second]);
  expect(ask(file, "select count(*) from users")).toBe(1);
});

test("rejects a file of a newer version and leaves it unchanged", async () => {
  run([...migrations, second]);
  await expect(openSqlite({ file })).rejects.toThrow(
    `version ${next}, made by a newer Stonechat; this one knows ${now}`,
  );
  const db = openConnection({ file });
  expect(readMeta(db, "version")).toBe(String(next));
  db.close();
});
