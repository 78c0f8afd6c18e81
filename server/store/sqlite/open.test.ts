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

/** A process that opens the file, commits one event, says so and stays. */
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

test("a second process is refused, and told who has the file", async () => {
  const child = await startOther();
  await expect(openSqlite({ file })).rejects.toThrow(`in use by process ${child.pid}`);
});

test("a second store in the same process is refused too", async () => {
  const store = await openSqlite({ file });
  await expect(openSqlite({ file })).rejects.toThrow("in use by");
  await store.close();
  await (await openSqlite({ file })).close();
});

test("a process that was killed leaves no lock, and what it had acknowledged", async () => {
  const child = await startOther();
  child.kill("SIGKILL");
  await once(child, "exit");
  const store = await openSqlite({ file });
  expect(await store.read.events(userStream("other"), 0, 9)).toEqual([{ seq: 1, body: "1" }]);
  await store.close();
});

test.each(["3.51.2", "3.7.0", "3.40.1", "2.99.99"])("SQLite %s is refused", (version) => {
  expect(() => checkVersion(version)).toThrow(`SQLite ${version} can lose committed writes; 3.51.3 or newer`);
});

test.each(["3.51.3", "3.51.10", "3.52.0", "4.0.0"])("SQLite %s is taken", (version) => {
  expect(() => checkVersion(version)).not.toThrow();
});

test("every connection waits for the disk, on a file that was there before too", async () => {
  await makeStore();
  for (const readonly of [false, true]) {
    const db = openConnection({ file, readonly });
    expect(db.pragma("synchronous", { simple: true })).toBe(2);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("foreign_keys", { simple: true })).toBe(1);
    db.close();
  }
});

test("a setting that the file does not keep is refused", () => {
  expect(() => openConnection({ file: ":memory:" })).toThrow(
    "SQLite keeps journal_mode at memory, not wal, in :memory:: refusing",
  );
});

test("a clean stop is noted, and only then", async () => {
  const store = await openSqlite({ file });
  expect(await store.read.meta("stopped")).toBe("no");
  await store.close();
  const db = new Database(file, { readonly: true });
  expect(db.prepare("select value from meta where key = 'stopped'").pluck().get()).toBe("clean");
  db.close();
});

test("a damaged file is refused after a stop that was not clean", async () => {
  await makeStore(2_000);
  setStopped("no");
  const descriptor = openSync(file, "r+");
  for (let page = 60; page < statSync(file).size / 4096; page += 7)
    writeSync(descriptor, "garbage".repeat(300), page * 4096);
  closeSync(descriptor);
  await expect(openSqlite({ file })).rejects.toThrow(/is damaged \(.+\)\. Restore a backup/);
});

test("a file that is no database is refused in the same words", async () => {
  writeFileSync(file, "this is not a database ".repeat(1_000));
  await expect(openSqlite({ file })).rejects.toThrow(/is damaged \(.+\)\. Restore a backup/);
});

test("after a refusal the lock is free again", async () => {
  writeFileSync(file, "this is not a database ".repeat(1_000));
  await expect(openSqlite({ file })).rejects.toThrow("is damaged");
  rmSync(file);
  await (await openSqlite({ file })).close();
});

test("a folder that is not there yet is made", async () => {
  file = join(folder, "deep/er/stonechat.db");
  await makeStore();
  expect(existsSync(file)).toBe(true);
});

test("closing leaves one file and no log beside it, and a later commit is rejected", async () => {
  const store = await openSqlite({ file });
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  await expect(store.commit([batch({ events: [event(userStream("a"))] })])).rejects.toThrow("has ended");
});
