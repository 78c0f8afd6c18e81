import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { fill, lookTool, readContents, toolScript } from "../../support/backup/contents.ts";
import { createFolder, spawnCommand, type Environment } from "../../support/server/run-command.ts";
import { startInstance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../../support/postgres.ts";
import { query } from "../../support/server/database.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
const PARTS = isDeep ? 1_000_000 : 20_000;
const PARTS_PER_THREAD = 2_000;
const MOST_MEMORY_KB = 450_000;

const options = { tools: [lookTool], script: toolScript } as const;

/** As scripts/run.js starts the command. */
const serverFlags = readFileSync(join(import.meta.dirname, "../../../scripts/server-flags.json"), "utf8");
const flags = [...(JSON.parse(serverFlags) as string[]), "--max-old-space-size=512"];

/** Returns its peak memory in kB. Linux only. */
async function measure(args: readonly string[], env: Environment): Promise<{ peakKb: number; out: string }> {
  const child = spawnCommand(args, env, flags);
  let [peakKb, out] = [0, ""];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (out += text));
  const timer = setInterval(() => {
    try {
      const [, kb = "0"] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      peakKb = Math.max(peakKb, Number(kb));
    } catch {
      // It has exited.
    }
  }, 50);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  expect({ code, out }).toEqual({ code: 0, out });
  return { peakKb, out };
}

/** Threads of long conversations, with a document in the search index for each hundredth part. */
function addParts(file: string): void {
  const db = new Database(file);
  db.exec(`
    create temp table n as with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${PARTS}) select i from n;
    insert into threads (id, owner, title, title_source, preview, profile, model, status, pinned, archived, message_count, branch, created_at, updated_at)
      select 't' || i, 'local', 'thread ' || i, 'person', '', 'stone', 'offline/stone', 'idle', 0, 0, 0, 'main', i, i
      from n where i % ${PARTS_PER_THREAD} = 0;
    insert into parts (thread, message, n, v, kind, tokens, body)
      select 't' || (i - i % ${PARTS_PER_THREAD}), 'm' || (i / 4), i % 4, 1, 'text', 40,
        '{"kind":"text","text":"' || hex(randomblob(80)) || ' granite and basalt ' || i || '"}' from n;
    insert into search_docs (thread, message, owner, at, text, terms)
      select 't' || (i - i % ${PARTS_PER_THREAD}), 'm' || (i / 4), 'local', i, 'granite ' || i, 'granite ' || i from n where i % 100 = 0;
  `);
  db.close();
}

test.skipIf(process.platform !== "linux" || !findPostgres())(
  `${PARTS} parts are backed up, restored and moved with bounded memory; counts, hashes, search results and receipts are equal`,
  async () => {
    const first = await startInstance(options);
    const ids = await fill(first, 1);
    const before = await readContents(first.client, first.url, ids);
    expect(before.receiptIds.length).toBeGreaterThan(1);
    const dataDir = await first.leave();
    addParts(join(dataDir, "stonechat.db"));
    const folder = createFolder();
    const env: Environment = { STONECHAT_DATA: dataDir, STONECHAT_BACKUP_PASSPHRASE: "a passphrase for tests" };
    const report = (what: string, startedAt: number, peakKb: number): void => {
      if (isDeep)
        console.log(`${what}: ${Math.round(performance.now() - startedAt)} ms, ${Math.round(peakKb / 1000)} MB`);
      expect(peakKb).toBeLessThan(MOST_MEMORY_KB);
    };
    const run = async (what: string, args: readonly string[], given: Environment): Promise<string> => {
      const startedAt = performance.now();
      const { peakKb, out } = await measure(args, given);
      report(what, startedAt, peakKb);
      return out;
    };
    await run("backup", ["backup", folder], env);
    const again = await run("backup without changes", ["backup", folder], env);
    expect(again).toMatch(/^0 of its \d+ chunks are new/m);
    const db = new Database(join(dataDir, "stonechat.db"));
    db.exec("update parts set body = body || ' ' where thread = 't2000' and message = 'm600'");
    db.close();
    const changed = await run("backup after a change", ["backup", folder], env);
    const [, newChunks] = /^(\d+) of its \d+ chunks are new/m.exec(changed) ?? [];
    expect(Number(newChunks)).toBeLessThan(4);

    const url = await createEmptyDatabase();
    await run("move to PostgreSQL", ["move", "--to", url], env);
    const back = createFolder();
    await run("move to SQLite", ["move", "--to", back], { ...env, STONECHAT_DATABASE_URL: url });
    const restored = createFolder();
    await run("restore", ["restore", folder], { ...env, STONECHAT_DATA: restored });
    const places = [{ dataDir }, { dataDir, databaseUrl: url }, { dataDir: back }, { dataDir: restored }];
    for (const place of places) {
      const sql = "select count(*) as n, sum(length(body)) as bytes from parts";
      const [row] = await query<{ n: number | string; bytes: number | string }>(place, sql);
      expect(Number(row?.n)).toBeGreaterThan(PARTS);
      const [source] = await query<{ n: number | string; bytes: number | string }>({ dataDir }, sql);
      expect([Number(row?.n), Number(row?.bytes)]).toEqual([Number(source?.n), Number(source?.bytes)]);
    }
    const hits = [];
    for (const [at, more] of [
      [dataDir, {}],
      [dataDir, { STONECHAT_DATABASE_URL: url }],
      [back, {}],
      [restored, {}],
    ] as const) {
      const server = await startInstance({ ...options, dataDir: at, env: more });
      expect(await readContents(server.client, server.url, ids)).toEqual(before);
      hits.push((await server.client.search({ query: { q: "granite" } })).hits);
      await server.leave();
    }
    expect(hits[0]?.length).toBeGreaterThan(10);
    for (const found of hits) expect(found).toEqual(hits[0]);
  },
  isDeep ? 3_600_000 : 600_000,
);
