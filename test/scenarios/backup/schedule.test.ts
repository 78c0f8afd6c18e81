import { cpSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { createFolder, mustRun, runCommand } from "../../support/server/run-command.ts";
import { say, startInstance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { query, type Place } from "../../support/server/database.ts";
import { until } from "../../support/server/until.ts";
import { SECRET_KEY } from "../settings/on-both.ts";

/** Each test starts many processes, which takes long on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

/** The next backup is planned once the current one was verified. */
const isPlanned = (place: Place) =>
  until("the next backup is planned", async () => {
    const jobs = await query<{ state: string; not_before: number | string; updated_at: number | string }>(
      place,
      "select state, not_before, updated_at from jobs where kind = 'backup'",
    );
    return (
      jobs.length === 1 &&
      jobs.every((job) => job.state === "waiting" && Number(job.not_before) > Number(job.updated_at))
    );
  });

const HOUR_MS = 3_600_000;
const list = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".backup"));

function createClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    monotonic: () => performance.now(),
    pass: (ms: number) => void (ahead += ms),
  };
}

test("the server makes backups at the interval, leaves as many as set, and each can be restored", async () => {
  const folder = createFolder();
  const clock = createClock();
  const env = {
    STONECHAT_BACKUP_FOLDER: folder,
    STONECHAT_BACKUP_EVERY_HOURS: "6",
    STONECHAT_BACKUP_KEEP: "2",
    STONECHAT_BACKUP_PASSPHRASE: "a passphrase for tests",
  };
  const instance = await startInstance({ clock, env, script: () => say("an answer") });
  const threadId = await instance.start({ title: "in the backup" });
  const seen = new Set<string>();
  const made = async (count: number) =>
    until(`there are ${count} backups`, async () => {
      for (const name of list(folder)) seen.add(name);
      return seen.size === count;
    }).then(() => isPlanned({ dataDir: instance.dataDir }));
  await made(1);
  clock.pass(5 * HOUR_MS);
  const live = instance.follow(threadId);
  await instance.send(threadId, "a question");
  await live.ended(1);
  for (const count of [2, 3, 4]) {
    clock.pass(6 * HOUR_MS);
    await made(count);
  }
  await until("old backups are removed", async () => list(folder).length === 2);
  expect(list(folder).toSorted()).toEqual([...seen].toSorted().slice(-2));
  const doctorEnv = { ...env, STONECHAT_DATA: instance.dataDir, STONECHAT_PORT: "0" };
  expect((await runCommand(["doctor"], doctorEnv)).out).toMatch(/^ok +the newest backup in .+ is 0 hours old\.$/m);
  const past = Date.now() / 1000 - 13 * 3_600;
  for (const name of list(folder)) utimesSync(join(folder, name), past, past);
  expect((await runCommand(["doctor"], doctorEnv)).out).toMatch(/^problem +the newest backup in .+ is 13 hours old\./m);
  const target = createFolder();
  await mustRun(["restore", folder], {
    STONECHAT_DATA: target,
    STONECHAT_BACKUP_PASSPHRASE: env.STONECHAT_BACKUP_PASSPHRASE,
  });
  const restored = await startInstance({ dataDir: target });
  expect((await restored.client.getThread({ params: { threadId } })).messages).toHaveLength(2);
});

const overdueHours = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^stonechat_backup_overdue_seconds (\S+)$/m.exec(text)?.[1]) / 3600;
};

test("a folder that cannot be written is tried again later, and does not disturb the server", async () => {
  const file = join(createFolder(), "not-a-folder");
  writeFileSync(file, "");
  const env = { STONECHAT_BACKUP_FOLDER: file };
  const clock = createClock();
  const instance = await startInstance({ env, clock });
  await until("the job has failed once", async () => {
    const [job] = await query<{ error: string | null; attempts: number; state: string }>(
      { dataDir: instance.dataDir },
      "select error, attempts, state from jobs where kind = 'backup'",
    );
    return job?.error !== null && job?.attempts === 1 && job.state === "waiting";
  });
  expect(await overdueHours(instance.url)).toBeLessThan(1);
  clock.pass(7 * HOUR_MS);
  expect(await overdueHours(instance.url)).toBeCloseTo(7, 0);
  rmSync(file);
  clock.pass(HOUR_MS);
  await until("a backup is made", async () => existsSync(file) && list(file).length === 1);
  await isPlanned({ dataDir: instance.dataDir });
  expect(await overdueHours(instance.url)).toBe(0);
  expect(await instance.start()).toMatch(/^thread-/);
  await expect(instance.server.store.ping()).resolves.toBeUndefined();
});

test.skipIf(!findPostgres())("of two nodes with the same settings, one makes each backup", async () => {
  const databaseUrl = await createDatabase();
  const folder = createFolder();
  const clock = createClock();
  const env = {
    STONECHAT_DATABASE_URL: databaseUrl,
    STONECHAT_SECRET_KEY: SECRET_KEY,
    STONECHAT_BACKUP_FOLDER: folder,
    STONECHAT_BACKUP_EVERY_HOURS: "1",
  };
  const [first] = await Promise.all([startInstance({ clock, env }), startInstance({ clock, env })]);
  for (const count of [1, 2, 3]) {
    await until(`there are ${count} backups`, async () => list(folder).length === count);
    await isPlanned({ dataDir: first.dataDir, databaseUrl });
    expect(list(folder)).toHaveLength(count);
    clock.pass(HOUR_MS + 1);
  }
});

test("a plain copy of the data folder of a running server opens with every message", async () => {
  const notes: string[] = [];
  const instance = await startInstance({ script: () => say("an answer") });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "a question");
  await live.ended(1);
  const before = await instance.client.getThread({ params: { threadId } });
  const copy = join(createFolder(), "copy");
  cpSync(instance.dataDir, copy, { recursive: true });
  const opened = await startInstance({ dataDir: copy });
  expect(await opened.client.getThread({ params: { threadId } })).toEqual(before);

  const partial = createFolder();
  cpSync(join(instance.dataDir, "stonechat.db"), join(partial, "stonechat.db"));
  const { openSqlite } = await import("../../../server/store/sqlite/open.ts");
  const report = (_: string, note: string) => void notes.push(note);
  const store = await openSqlite({ file: join(partial, "stonechat.db"), report });
  await store.close();
  expect(notes.join("\n")).toContain("stonechat.db-wal is missing. If this is a copy, its newest messages may be");
  const db = new Database(join(partial, "stonechat.db"), { readonly: true });
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  db.close();
});
