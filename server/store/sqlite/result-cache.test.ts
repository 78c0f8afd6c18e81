import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store, Write } from "../contract.ts";
import { openSqlite } from "./open.ts";
import { openConnection } from "./connection.ts";
import { createResultCache, rarelyWritten } from "./result-cache.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-result-cache-"));
let store: Store;
beforeAll(async () => {
  store = await openSqlite({ file: join(folder, "cache.db") });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const set = (value: string): Write => ({ do: "put", table: "meta", row: { key: "test", value } });
const commit = (value: string) => store.commit([{ events: [], writes: [set(value)] }]);

test("reads see every commit whose result has arrived, and none is older than the read before", async () => {
  let newest = 0;
  let seen = 0;
  const read = async (): Promise<void> => {
    const atLeast = Math.max(newest, seen);
    const value = Number((await store.read.meta("test")) ?? 0);
    expect(value).toBeGreaterThanOrEqual(atLeast);
    seen = Math.max(seen, value);
  };
  for (let n = 1; n <= 200; n += 1) {
    const written = commit(String(n)).then(() => (newest = n));
    await read();
    if (n % 3 === 0) await new Promise(setImmediate);
    await read();
    await written;
    await read();
    await read();
  }
  expect(seen).toBe(200);
});

test("a batch that fails leaves the stored value readable", async () => {
  await commit("kept");
  expect(await store.read.meta("test")).toBe("kept");
  const missing: Write = {
    do: "update",
    table: "users",
    set: { created_at: 1 },
    where: { id: "nobody" },
    expectOne: true,
  };
  const [result] = await store.commit([{ events: [], writes: [set("lost"), missing] }]);
  expect(result).toEqual({ ok: false, why: "missing" });
  expect(await store.read.meta("test")).toBe("kept");
});

test("uses and fills nothing while a commit to one of the tables is pending", () => {
  const cache = createResultCache();
  const sql = `select "value" from "meta" where "key" = ?`;
  cache.of(sql)?.add("a", [{ value: "1" }]);
  expect(cache.of(sql)?.get("a")).toEqual([{ value: "1" }]);
  const finish = cache.writing(new Set(["meta", "threads"]));
  const finishOther = cache.writing(new Set(["meta"]));
  expect(cache.of(sql)).toBeUndefined();
  finish();
  expect(cache.of(sql)).toBeUndefined();
  finishOther();
  expect(cache.of(sql)?.get("a")).toBeUndefined();
});

test("keeps only queries over rarely written tables that depend on nothing else", () => {
  const cache = createResultCache();
  expect(cache.of(`select * from "threads" where "id" = ?`)).toBeUndefined();
  expect(cache.of(`select * from "memory" where exists (select 1 from threads)`)).toBeUndefined();
  expect(cache.of(`select unixepoch('subsec') from "meta"`)).toBeUndefined();
  expect(cache.of("select 1")).toBeUndefined();
  expect(cache.of(`select * from "memory" where "owner" = ?`)).toBeDefined();
});

test("stays within its bounds", () => {
  const cache = createResultCache();
  const sql = `select * from "pins" where "thread" = ?`;
  cache.of(sql)?.add("long", [{ text: "x".repeat(100_001) }]);
  expect(cache.of(sql)?.get("long")).toBeUndefined();
  for (let n = 0; n < 30_000; n += 1) cache.of(sql)?.add(String(n), []);
  expect(cache.of(sql)?.get("0")).toBeUndefined();
  expect(cache.of(sql)?.get("29999")).toEqual([]);
});

test("no trigger or foreign key writes to a table whose results are kept", () => {
  const db = openConnection({ file: join(folder, "cache.db"), readonly: true, synchronous: "FULL" });
  const triggers = db.prepare<[], { sql: string }>("select sql from sqlite_master where type = 'trigger'").all();
  expect(triggers.length).toBeGreaterThan(0);
  const written = triggers.flatMap(({ sql }) =>
    [...sql.matchAll(/\b(?:insert(?: or \w+)? into|update|delete from)\s+"?(\w+)/gi)].map(([, table = ""]) => table),
  );
  expect(written.filter((table) => rarelyWritten.has(table))).toEqual([]);
  const tables = db.prepare<[], { name: string }>("select name from sqlite_master where type = 'table'").all();
  expect([...rarelyWritten].filter((name) => !tables.some((table) => table.name === name))).toEqual([]);
  const cascades = [...rarelyWritten].flatMap(
    (name) => db.pragma(`foreign_key_list(${name})`) as readonly { on_delete: string; on_update: string }[],
  );
  const isPassive = ({ on_delete, on_update }: { on_delete: string; on_update: string }): boolean =>
    [on_delete, on_update].every((action) => action === "NO ACTION" || action === "RESTRICT");
  expect(cascades.filter((key) => !isPassive(key))).toEqual([]);
  db.close();
});
