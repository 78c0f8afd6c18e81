import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { listTables } from "../../server/store/copy/copy.ts";
import { fill, lookTool, readContents, toolScript } from "../support/backup/contents.ts";
import { createFolder, mustRun, runCommand, spawnCommand, type Environment } from "../support/server/run-command.ts";
import { startInstance } from "../support/instance.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { query, type Place } from "../support/server/database.ts";
import { until } from "../support/server/until.ts";
import { migrations } from "../../server/store/migrations/migrations.ts";

const options = { tools: [lookTool], script: toolScript } as const;
const tables = listTables(migrations.length);

/** Counts from outside, without the code that copies. */
async function countRows(place: Place): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    // The other keys of `meta` describe one database.
    const from = name === "meta" ? "meta where key not in ('version', 'stopped', 'write-probe')" : name;
    const [row] = await query<{ n: number | string }>(place, `select count(*) as n from ${from}`);
    counts[name] = Number(row?.n);
  }
  return counts;
}

const hashFiles = (folder: string): string =>
  ["stonechat.db", "stonechat.db-wal", "secret.key"]
    // Reading leaves an empty WAL.
    .filter((name) => (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0)
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`,
    )
    .join("\n");

test.skipIf(!findPostgres())(
  "moves from SQLite to PostgreSQL and back, with equal counts, search results and verified receipts",
  async () => {
    const first = await startInstance(options);
    const ids = await fill(first);
    const before = await readContents(first.client, first.url, ids);
    const { dataDir } = first;
    const databaseUrl = await createEmptyDatabase();
    const env: Environment = { STONECHAT_DATA: dataDir };
    const running = await runCommand(["move", "--to", databaseUrl], env);
    expect(running).toMatchObject({ code: 1, err: expect.stringContaining("Stop it first.") });
    await first.leave();
    const files = hashFiles(dataDir);
    const out = await mustRun(["move", "--to", databaseUrl], env);
    expect(out).toContain("Every table was compared and is equal. The source is unchanged.");
    expect(out).toMatch(/^Copying: 100 %/m);
    expect(hashFiles(dataDir)).toBe(files);
    expect(await countRows({ dataDir, databaseUrl })).toEqual(await countRows({ dataDir }));

    const inPostgres: Environment = { ...env, STONECHAT_DATABASE_URL: databaseUrl };
    const second = await startInstance({ ...options, dataDir, env: { STONECHAT_DATABASE_URL: databaseUrl } });
    expect(await readContents(second.client, second.url, ids)).toEqual(before);
    expect(before.hits.length).toBeGreaterThan(5);
    for (const id of before.receiptIds.slice(0, 2))
      expect(await mustRun(["receipt", id, "--verify"], inPostgres)).toContain("verified: the stored parts");
    const threadId = await second.start({ title: "after the move" });
    const back = createFolder();
    const used = await runCommand(["move", "--to", back], inPostgres);
    expect(used).toMatchObject({ code: 1, err: expect.stringContaining("Stop all nodes, then try again.") });
    await second.leave();

    const target = join(back, "data");
    await mustRun(["move", "--to", target], inPostgres);
    expect(await countRows({ dataDir: target })).toEqual(await countRows({ dataDir, databaseUrl }));
    expect(readFileSync(join(target, "secret.key"), "utf8")).toBe(readFileSync(join(dataDir, "secret.key"), "utf8"));
    const third = await startInstance({ ...options, dataDir: target });
    expect(await readContents(third.client, third.url, ids)).toEqual(before);
    expect((await third.client.listThreads({})).threads.map(({ id }) => id)).toContain(threadId);
    for (const id of before.receiptIds.slice(0, 2))
      expect(await mustRun(["receipt", id, "--verify"], { STONECHAT_DATA: target })).toContain("verified");
    await third.leave();
    expect(await runCommand(["move", "--to", target], inPostgres)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not empty. Nothing is overwritten"),
    });
  },
);

/** Enough rows that a kill hits the middle. */
function addTexts(dataDir: string): void {
  const db = new Database(join(dataDir, "stonechat.db"));
  db.exec(`insert into texts (hash, body) with recursive n (i) as (select 1 union all select i + 1 from n where i < 60000)
    select 'hash ' || i, 'words of text ' || i || ' ' || hex(randomblob(100)) from n`);
  db.close();
}

const kinds = findPostgres() ? (["postgres", "sqlite"] as const) : [];

test.each(kinds)("a move to %s that is killed again and again continues and ends with equal tables", async (kind) => {
  const source = await startInstance(options);
  await fill(source, 1);
  await source.leave();
  const { dataDir } = source;
  addTexts(dataDir);
  const target: Place =
    kind === "sqlite" ? { dataDir: createFolder() } : { dataDir, databaseUrl: await createEmptyDatabase() };
  const to = target.databaseUrl ?? target.dataDir;
  const env: Environment = { STONECHAT_DATA: dataDir };
  const countTexts = async (): Promise<number> => {
    const [row] = await query<{ n: number | string }>(target, "select count(*) as n from texts").catch(() => []);
    return Number(row?.n ?? 0);
  };
  const found: number[] = [];
  for (const least of [1, 20_000, 45_000]) {
    const child = spawnCommand(["move", "--to", to], env);
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
    await until(`the target has ${least} texts`, async () => (await countTexts()) >= least);
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    found.push(await countTexts());
  }
  expect(found.filter((count) => count < 60_000).length).toBeGreaterThan(1);
  const serverEnv = kind === "sqlite" ? {} : { STONECHAT_DATABASE_URL: to };
  await expect(startInstance({ dataDir: target.dataDir, env: serverEnv })).rejects.toThrow("is an unfinished copy");
  expect(await runCommand(["restore", createFolder()], { ...env, ...serverEnv })).toMatchObject({ code: 1 });
  const out = await mustRun(["move", "--to", to], env);
  expect(out).toContain("Every table was compared and is equal.");
  expect(await countRows(target)).toEqual(await countRows({ dataDir }));
  const again = await startInstance({ ...options, dataDir: target.dataDir, env: serverEnv });
  expect((await again.client.listThreads({})).threads).toHaveLength(1);
});

test("a move whose source changed after a kill is refused", async () => {
  const source = await startInstance();
  await source.start({ title: "first" });
  await source.leave();
  const env: Environment = { STONECHAT_DATA: source.dataDir };
  const { openTarget, openSource, toFingerprint } = await import("../../server/store/copy/copy.ts");
  const to = createFolder();
  const from = await openSource({ directory: source.dataDir, databaseUrl: null }, true);
  const mark = `move ${toFingerprint(source.dataDir)}`;
  const target = await openTarget({ directory: to, databaseUrl: null, version: from.version, mark });
  const table = from.tables.find(({ name }) => name === "users");
  if (!table) throw new Error("no table users");
  for await (const rows of from.read(table)) await target.add(table, rows);
  await target.close();
  await from.close();
  const changed = await startInstance({ dataDir: source.dataDir });
  await changed.server.store.commit([
    { events: [], writes: [{ do: "insert", table: "users", row: { id: "a user that sorts first", created_at: 1 } }] },
  ]);
  await changed.leave();
  const { code, err } = await runCommand(["move", "--to", to], env);
  expect(code).toBe(1);
  expect(err).toMatch(/differs from its source|UNIQUE constraint/);
});

test("a backup and a restore that are killed leave nothing that is used, and succeed when they are run again", async () => {
  const source = await startInstance();
  await source.start({ id: "stones", title: "Stones" });
  const { dataDir } = source;
  await source.leave();
  const folder = createFolder();
  const env: Environment = { STONECHAT_DATA: dataDir };
  await mustRun(["backup", folder], env);
  const listChunks = () =>
    readdirSync(join(folder, "chunks"), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const before = listChunks().length;
  addTexts(dataDir);
  const killWhen = async (args: readonly string[], given: Environment, what: string, fits: () => Promise<boolean>) => {
    const child = spawnCommand(args, given);
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
    await until(what, fits);
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
  };
  await killWhen(["backup", folder], env, "some chunks are stored", async () => listChunks().length > before + 3);
  const list = () => readdirSync(folder).filter((name) => name.endsWith(".backup"));
  expect(list()).toHaveLength(1);
  expect(await mustRun(["restore", folder], { STONECHAT_DATA: createFolder() })).toContain("Restored ");
  const left = listChunks().length;
  await mustRun(["backup", folder, "--keep", "1"], env);
  expect(list()).toHaveLength(1);
  expect(listChunks().length).toBeGreaterThan(left);
  expect(listChunks().filter(({ name }) => name.endsWith(".part"))).toEqual([]);

  const target = createFolder();
  const to: Environment = { STONECHAT_DATA: target };
  const countTexts = async () => {
    const [row] = await query<{ n: number }>({ dataDir: target }, "select count(*) as n from texts").catch(() => []);
    return row?.n ?? 0;
  };
  await killWhen(["restore", folder], to, "some texts are stored", async () => (await countTexts()) > 0);
  await expect(startInstance({ dataDir: target })).rejects.toThrow("is an unfinished copy");
  // The folder has got a newer backup, which differs: the message says how to finish.
  const [first = ""] = list();
  await mustRun(["backup", folder], env);
  expect((await runCommand(["restore", folder], to)).err).toContain("is an unfinished copy of another source");
  await mustRun(["restore", join(folder, first)], to);
  expect(await countRows({ dataDir: target })).toEqual(await countRows({ dataDir }));
  const again = await startInstance({ dataDir: target });
  expect((await again.client.listThreads({})).threads.map(({ title }) => title)).toEqual(["Stones"]);
});
