import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { fill, lookTool, readContents, toolScript } from "../../support/backup/contents.ts";
import { createFolder, mustRun, runCommand, type Environment } from "../../support/server/run-command.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { createGate, mintId, say, startInstance, type Instance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase, createEmptyDatabase } from "../../support/postgres.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth, SECRET_KEY } from "../settings/on-both.ts";

/** Each test starts many processes, which takes long on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

const PASSPHRASE = "a passphrase for tests";
/** Messages of the load get short answers, so that search results are those of the other threads. */
const script: Script = (request, ...rest) => {
  const last = request.messages.at(-1);
  return last?.role === "user" && /stone \d+ of/.test(last.text) ? say("noted") : toolScript(request, ...rest);
};
const options = { tools: [lookTool], script } as const;

type Place = { readonly dataDir: string; readonly databaseUrl: string };

const toEnv = ({ dataDir, databaseUrl }: Place): Environment => ({
  STONECHAT_DATA: dataDir,
  STONECHAT_BACKUP_PASSPHRASE: PASSPHRASE,
  ...(databaseUrl ? { STONECHAT_DATABASE_URL: databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY } : {}),
});

/** Sends messages to new threads until it is stopped; `acknowledged` lists those whose 202 was received. */
function putUnderLoad({ client, start }: Instance) {
  const acknowledged: { threadId: string; id: string; text: string }[] = [];
  let isStopped = false;
  const send = async (): Promise<void> => {
    let threadId = await start();
    for (let count = 1; !isStopped; count += 1) {
      // The queue of a thread has 20 places.
      if (count % 15 === 0) threadId = await start();
      const message = { threadId, id: mintId("message"), text: `stone ${acknowledged.length} of ${threadId}` };
      await client.sendMessage({ params: { threadId }, body: { id: message.id, text: message.text } });
      acknowledged.push(message);
    }
  };
  const senders = [send(), send(), send()];
  onTestFinished(() => void (isStopped = true));
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await Promise.all(senders);
    },
  };
}

async function expectMessages({ client }: Instance, expected: ReturnType<typeof putUnderLoad>["acknowledged"]) {
  const found = new Map<string, string>();
  for (const threadId of new Set(expected.map((message) => message.threadId))) {
    const { messages, queue } = await client.getThread({ params: { threadId } });
    for (const { id, parts } of messages)
      found.set(id, parts.map((part) => ("text" in part ? part.text : "")).join(""));
    for (const { id, text } of queue) found.set(id, text ?? "");
  }
  const missing = expected.filter(({ id, text }) => found.get(id) !== text);
  expect(missing).toEqual([]);
}

/** Of a database that no server has opened. */
function expectSound(dataDir: string): void {
  const db = new Database(join(dataDir, "stonechat.db"), { readonly: true });
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(db.pragma("foreign_key_check")).toEqual([]);
  db.close();
}

async function expectSameRows(restored: Instance, place: Place, ids: readonly string[], before: object) {
  const after = await readContents(restored.client, restored.url, ids);
  expect(after).toEqual(before);
  expect(after.key).toMatchObject({ key: "here", isReady: true });
  expect(after.receiptIds.length).toBeGreaterThan(3);
  for (const id of after.receiptIds.slice(0, 2))
    expect(await mustRun(["receipt", id, "--verify"], toEnv(place))).toContain("verified: the stored parts");
}

const targets = ["sqlite", ...(findPostgres() ? (["postgres"] as const) : [])] as const;

describeOnBoth("a backup under load", (start) => {
  test("has every acknowledged message, and is equal when restored on both databases", async () => {
    const instance = await start(options);
    const place = { dataDir: instance.dataDir, databaseUrl: instance.databaseUrl };
    const ids = await fill(instance);
    const before = await readContents(instance.client, instance.url, ids);
    const load = putUnderLoad(instance);
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(20);
    const acknowledged = [...load.acknowledged];
    const folder = createFolder();
    const out = await mustRun(["backup", folder], toEnv(place));
    expect(load.acknowledged.length).toBeGreaterThan(acknowledged.length);
    await load.stop();
    expect(out).toMatch(/\.backup has \d+ rows and was verified\./);
    expect(out).not.toContain("not encrypted");
    const stored = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const contents = stored.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("");
    expect(contents.length).toBeGreaterThan(10_000);
    for (const words of ["olivine", "granite", "stone 1 of", "parts", SECRET_KEY])
      expect(contents).not.toContain(words);
    for (const { parentPath, name } of stored) expect(statSync(join(parentPath, name)).mode & 0o077).toBe(0);

    for (const target of targets) {
      const to = { dataDir: createFolder(), databaseUrl: target === "sqlite" ? "" : await createEmptyDatabase() };
      const env = { STONECHAT_DATA: to.dataDir, STONECHAT_BACKUP_PASSPHRASE: PASSPHRASE };
      const restored = await mustRun(["restore", folder, ...(to.databaseUrl ? ["--to", to.databaseUrl] : [])], env);
      expect(restored).toContain("Restored ");
      if (target === "sqlite") expectSound(to.dataDir);
      const again = await startInstance({
        ...options,
        dataDir: to.dataDir,
        env: to.databaseUrl ? { STONECHAT_DATABASE_URL: to.databaseUrl } : {},
      });
      await expectMessages(again, acknowledged);
      await expectSameRows(again, { ...to, databaseUrl: to.databaseUrl }, ids, before).catch((error: unknown) => {
        throw new Error(`Restored on ${target}: ${(error as Error).message}`, { cause: error });
      });
      await again.leave();
    }
  });
});

const pgDump = join(dirname(findPostgres()?.postgres ?? ""), "pg_dump");

test.skipIf(!existsSync(pgDump))("pg_dump under load, with secret.key, is a complete copy", async () => {
  const databaseUrl = await createDatabase();
  const instance = await startInstance({ ...options, env: { STONECHAT_DATABASE_URL: databaseUrl } });
  const ids = await fill(instance, 1);
  const before = await readContents(instance.client, instance.url, ids);
  const load = putUnderLoad(instance);
  await expect.poll(() => load.acknowledged.length).toBeGreaterThan(20);
  const acknowledged = [...load.acknowledged];
  const dumped = await promisify(execFile)(pgDump, [databaseUrl], { maxBuffer: 2 ** 30 });
  expect(load.acknowledged.length).toBeGreaterThan(acknowledged.length);
  await load.stop();

  const to = { dataDir: createFolder(), databaseUrl: await createEmptyDatabase() };
  const psql = execFileSync(join(dirname(pgDump), "psql"), ["-qv", "ON_ERROR_STOP=1", to.databaseUrl], {
    input: dumped.stdout,
    encoding: "utf8",
  });
  expect(psql).not.toContain("ERROR");
  copyFileSync(join(instance.dataDir, "secret.key"), join(to.dataDir, "secret.key"));
  const again = await startInstance({
    ...options,
    dataDir: to.dataDir,
    env: { STONECHAT_DATABASE_URL: to.databaseUrl },
  });
  await expectMessages(again, acknowledged);
  expect(await readContents(again.client, again.url, ids)).toEqual(before);
});

test("text of an answer that is being written is in the backup, also when restored on PostgreSQL", async () => {
  const gate = createGate();
  const half: Script = async function* () {
    yield { type: "start", key: "t", kind: "text" };
    yield { type: "delta", key: "t", text: "half a sentence" };
    await gate.passed;
    yield* say("");
  };
  const instance = await startInstance({ script: half });
  onTestFinished(() => gate.open());
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "a question");
  await live.until(({ messages }) => JSON.stringify(messages).includes("half a sentence"));
  const env = { STONECHAT_DATA: instance.dataDir };
  const file = join(createFolder(), "live.backup");
  await mustRun(["backup", file], env);
  const sql = "select body from events where transient = 1 and stream like ?";
  const inEvents = await query<{ body: string }>({ dataDir: instance.dataDir }, sql, [`%${threadId}`]);
  // On SQLite the text is in the journal only.
  expect(JSON.stringify(inEvents)).not.toContain("half a sentence");
  for (const target of targets) {
    const place = {
      dataDir: createFolder(),
      ...(target === "sqlite" ? {} : { databaseUrl: await createEmptyDatabase() }),
    };
    const to = place.databaseUrl === undefined ? [] : ["--to", place.databaseUrl];
    await mustRun(["restore", file, ...to], { STONECHAT_DATA: place.dataDir });
    const rows = await query<{ body: string }>(place, sql, [`%${threadId}`]);
    expect(JSON.stringify(rows)).toContain("half a sentence");
    const leases = await query(place, "select id from streams where holder is not null or lease_until > 0");
    expect(leases).toEqual([]);
    const again = await startInstance({
      dataDir: place.dataDir,
      script: () => say("the rest"),
      env: place.databaseUrl === undefined ? {} : { STONECHAT_DATABASE_URL: place.databaseUrl },
    });
    const ended = again.follow(threadId);
    await ended.ended(1);
    expect(JSON.stringify(await again.client.getThread({ params: { threadId } }))).toContain("the rest");
    await again.leave();
  }
});

test("a single file is restored too, and is not replaced by another backup", async () => {
  const instance = await startInstance(options);
  const place = { dataDir: instance.dataDir, databaseUrl: "" };
  const ids = await fill(instance, 1);
  const before = await readContents(instance.client, instance.url, ids);
  const file = join(createFolder(), "deep/stones.backup");
  await mustRun(["backup", file], toEnv(place));
  expect(existsSync(`${file}.part`)).toBe(false);
  expect(await runCommand(["backup", file], toEnv(place))).toMatchObject({
    code: 1,
    err: expect.stringContaining("exists. Nothing is overwritten: choose another name."),
  });
  const target = { dataDir: createFolder(), databaseUrl: "" };
  await mustRun(["restore", file], toEnv(target));
  const again = await startInstance({ ...options, dataDir: target.dataDir });
  await expectSameRows(again, target, ids, before);
});

test("without a passphrase and without the key, the command says what that means", async () => {
  const instance = await startInstance(options);
  await fill(instance, 1);
  const env = { STONECHAT_DATA: instance.dataDir };
  const folder = createFolder();
  const withKey = await mustRun(["backup", folder], env);
  expect(withKey).toContain("It is not encrypted: anyone who has it can read every message and, with the instance key");
  const file = join(createFolder(), "a.backup");
  const out = await mustRun(["backup", file, "--without-key"], env);
  expect(out).toContain("It does not have the instance key.");
  const key = readFileSync(join(instance.dataDir, "secret.key"), "utf8");
  expect(readFileSync(file, "latin1")).not.toContain(key);
  const target = createFolder();
  const restored = await mustRun(["restore", file], { STONECHAT_DATA: target });
  expect(restored).toContain("Copy your secret.key to");
  expect(existsSync(join(target, "secret.key"))).toBe(false);
  const again = await startInstance({ ...options, dataDir: target });
  const google = (await again.client.listProviders({})).providers.find(({ id }) => id === "google");
  expect(google?.note).toContain("Enter the key again");
});

test("a second backup stores only what changed, and old backups are removed with their chunks", async () => {
  const instance = await startInstance(options);
  const place = { dataDir: instance.dataDir, databaseUrl: "" };
  await fill(instance, 4);
  const folder = createFolder();
  const sizeOf = () =>
    readdirSync(join(folder, "chunks"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  const newChunks = (out: string): number => Number(/^(\d+) of its \d+ chunks are new/m.exec(out)?.[1]);
  const first = await mustRun(["backup", folder], toEnv(place));
  const firstBytes = sizeOf();
  expect(newChunks(first)).toBeGreaterThan(20);
  const second = await mustRun(["backup", folder], toEnv(place));
  expect(newChunks(second)).toBeLessThan(3);
  await instance.start({ title: "one more" });
  const third = await mustRun(["backup", folder, "--keep", "2"], toEnv(place));
  expect(newChunks(third)).toBeGreaterThan(0);
  expect(newChunks(third)).toBeLessThan(10);
  expect(sizeOf()).toBeLessThan(firstBytes * 1.3);
  const names = readdirSync(folder).filter((name) => name.endsWith(".backup"));
  expect(names).toHaveLength(2);
  const other = { ...toEnv(place), STONECHAT_BACKUP_PASSPHRASE: "another passphrase" };
  expect(newChunks(await mustRun(["backup", folder, "--keep", "1"], other))).toBeGreaterThan(20);
  expect(sizeOf()).toBeLessThan(firstBytes * 1.3);
  const target = createFolder();
  await mustRun(["restore", folder], { STONECHAT_DATA: target, STONECHAT_BACKUP_PASSPHRASE: "another passphrase" });
  const again = await startInstance({ ...options, dataDir: target });
  expect((await again.client.listThreads({})).threads).toHaveLength(5);
});

test("a backup of a data folder of 0.1.0 is migrated when it is restored", async () => {
  const { gunzipSync } = await import("node:zlib");
  const dataDir = createFolder();
  const stored = join(import.meta.dirname, "../../fixtures/databases/0.1.0.db.gz");
  writeFileSync(join(dataDir, "stonechat.db"), gunzipSync(readFileSync(stored)));
  const bytes = readFileSync(join(dataDir, "stonechat.db"));
  const file = join(createFolder(), "old.backup");
  await mustRun(["backup", file], { STONECHAT_DATA: dataDir });
  expect(readFileSync(join(dataDir, "stonechat.db")).equals(bytes)).toBe(true);
  const old = await startInstance({ dataDir });
  const { threads } = await old.client.listThreads({});
  expect(threads.length).toBeGreaterThan(3);
  const before = await Promise.all(threads.map(({ id }) => old.client.getThread({ params: { threadId: id } })));
  for (const target of targets) {
    const folder = createFolder();
    const env: Environment = {
      STONECHAT_DATA: folder,
      ...(target === "sqlite" ? {} : { STONECHAT_DATABASE_URL: await createEmptyDatabase() }),
    };
    await mustRun(["restore", file], env);
    const restored = await startInstance({ dataDir: folder, env });
    const after = await Promise.all(threads.map(({ id }) => restored.client.getThread({ params: { threadId: id } })));
    expect(after).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.includes("before-v"))).toEqual([]);
    await restored.leave();
  }
});

test.skipIf(!findPostgres())("restore overwrites nothing", async () => {
  const instance = await startInstance(options);
  await fill(instance, 1);
  const env = { STONECHAT_DATA: instance.dataDir };
  const file = join(createFolder(), "a.backup");
  await mustRun(["backup", file], env);
  const refused = async (args: readonly string[], given: Environment) => {
    const { code, err } = await runCommand(args, given);
    expect(code).toBe(1);
    return err;
  };
  await instance.leave();
  expect(await refused(["restore", file], env)).toContain("exists and is not empty. Nothing is overwritten");
  expect(await refused(["move", "--to", instance.dataDir], env)).toContain("is the configured database itself");
  const inFile = join(instance.dataDir, "secret.key");
  expect(await refused(["backup", inFile], env)).toContain("Name a folder that this user may write to.");
  const otherKey = createFolder();
  writeFileSync(join(otherKey, "secret.key"), Buffer.alloc(32, 1).toString("base64url"));
  expect(await refused(["restore", file], { STONECHAT_DATA: otherKey })).toContain("another key than the data");
  expect(readdirSync(otherKey)).toEqual(["secret.key"]);
  const databaseUrl = await createDatabase();
  const used = await startInstance({ env: { STONECHAT_DATABASE_URL: databaseUrl } });
  const { client } = used;
  await client.createThread({ body: { id: "mine", title: "mine" } });
  const empty = join(createFolder(), "empty");
  mkdirSync(empty);
  const to = ["restore", file, "--to", databaseUrl];
  expect(await refused(to, { STONECHAT_DATA: empty })).toContain("is not empty. Nothing is overwritten");
  expect((await client.listThreads({})).threads.map(({ id }) => id)).toEqual(["mine"]);
  onTestFinished(() => used.close());
});
