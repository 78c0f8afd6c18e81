import Database from "better-sqlite3";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { userStream } from "../../../protocol/ids.ts";
import { batch, event } from "../../../test/support/store-rows.ts";
import { checkVersion, openConnection } from "./connection.ts";
import { openSqlite } from "./open.ts";

let folder = "";
let file = "";
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-sqlite-"));
  file = join(folder, "stonechat.db");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A process that opens the file, commits one event, prints a line and keeps running. */
async function startOther(): Promise<ChildProcess> {
  const script = `
    const { openSqlite } = await import(${JSON.stringify(join(import.meta.dirname, "open.ts"))});
    const store = await openSqlite({ file: ${JSON.stringify(file)} });
    await store.commit([{ events: [{ stream: "user:other", body: "1" }], writes: [] }]);
    console.log("open");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("it ended"))),
  ]);
  return child;
}

async function makeStore(events = 1): Promise<void> {
  const store = await openSqlite({ file });
  const bodies = Array.from({ length: events }, (_, n) => event(userStream("a"), `"${n} ${"x".repeat(1_000)}"`));
  await store.commit([batch({ events: bodies })]);
  await store.close();
}

const setStopped = (value: string): void => {
  const db = new Database(file);
  db.prepare("update meta set value = ? where key = 'stopped'").run(value);
  db.close();
};

test("rejects a second process and names the one that uses the file", async () => {
  const child = await startOther();
  await expect(openSqlite({ file })).rejects.toThrow(`in use by process ${child.pid}`);
});

test("rejects a second store in the same process", async () => {
  const store = await openSqlite({ file });
  await expect(openSqlite({ file })).rejects.toThrow("in use by");
  await store.close();
  await (await openSqlite({ file })).close();
});

test("a killed process leaves no lock and loses no acknowledged commit", async () => {
  const child = await startOther();
  child.kill("SIGKILL");
  await once(child, "exit");
  const store = await openSqlite({ file });
  expect(await store.read.events(userStream("other"), 0, 9)).toEqual([{ seq: 1, body: "1" }]);
  await store.close();
});

test.each(["3.51.2", "3.7.0", "3.40.1", "2.99.99"])("rejects SQLite %s", (version) => {
  expect(() => checkVersion(version)).toThrow(`SQLite ${version} can lose committed writes; 3.51.3 or newer`);
});

test.each(["3.51.3", "3.51.10", "3.52.0", "4.0.0"])("accepts SQLite %s", (version) => {
  expect(() => checkVersion(version)).not.toThrow();
});

test("every connection uses synchronous=FULL, also on an existing file", async () => {
  await makeStore();
  for (const readonly of [false, true]) {
    const db = openConnection({ file, readonly });
    expect(db.pragma("synchronous", { simple: true })).toBe(2);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("foreign_keys", { simple: true })).toBe(1);
    db.close();
  }
});

test("fails when a setting does not take effect", () => {
  expect(() => openConnection({ file: ":memory:" })).toThrow(
    "SQLite keeps journal_mode at memory instead of wal in :memory:.",
  );
});

test("records a clean stop, and only that", async () => {
  const store = await openSqlite({ file });
  expect(await store.read.meta("stopped")).toBe("no");
  await store.close();
  const db = new Database(file, { readonly: true });
  expect(db.prepare("select value from meta where key = 'stopped'").pluck().get()).toBe("clean");
  db.close();
});

test("rejects a damaged file after an unclean stop", async () => {
  await makeStore(2_000);
  setStopped("no");
  const descriptor = openSync(file, "r+");
  for (let page = 60; page < statSync(file).size / 4096; page += 7)
    writeSync(descriptor, "garbage".repeat(300), page * 4096);
  closeSync(descriptor);
  await expect(openSqlite({ file })).rejects.toThrow(/is damaged \(.+\)\. Check the disk, then restore a backup/);
});

test("rejects a file that is not a database with the same message", async () => {
  writeFileSync(file, "this is not a database ".repeat(1_000));
  await expect(openSqlite({ file })).rejects.toThrow(/is damaged \(.+\)\. Check the disk, then restore a backup/);
});

test("releases the lock when opening fails", async () => {
  writeFileSync(file, "this is not a database ".repeat(1_000));
  await expect(openSqlite({ file })).rejects.toThrow("is damaged");
  rmSync(file);
  await (await openSqlite({ file })).close();
});

test("creates a missing folder", async () => {
  file = join(folder, "deep/er/stonechat.db");
  await makeStore();
  expect(existsSync(file)).toBe(true);
});

test("closing leaves one file without a WAL, and later commits are rejected", async () => {
  const store = await openSqlite({ file });
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  await expect(store.commit([batch({ events: [event(userStream("a"))] })])).rejects.toThrow("has ended");
});
