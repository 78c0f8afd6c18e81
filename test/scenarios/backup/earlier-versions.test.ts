import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrations } from "../../../server/store/migrations/migrations.ts";
import { applySteps, ensureMeta, migrate } from "../../../server/store/sqlite/migrate.ts";
import { startInstance, type Instance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../../support/postgres.ts";
import { query } from "../../support/server/database.ts";
import { copyToPostgres } from "../../support/store/copy-to-postgres.ts";

/** Written by 0.1.0, the first release. */
const OLDEST = 10;
const NEWEST = migrations.length;
const stored = join(import.meta.dirname, "../../fixtures/databases/0.1.0.db.gz");
const all = Array.from({ length: NEWEST - OLDEST }, (_, n) => OLDEST + n);
/** PostgreSQL takes a second for each, as does the start after going back. */
const some = process.env["STONECHAT_DEEP"] === "1" ? all : all.filter((version) => version % 6 === 3);

const placeOf = (dataDir: string): string => join(dataDir, "stonechat.db");
const newFolder = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), "stonechat-versions-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
};

/** The data of 0.1.0 in a file of this schema version. */
function createOld(version: number): string {
  const dataDir = newFolder();
  const file = placeOf(dataDir);
  writeFileSync(file, gunzipSync(readFileSync(stored)));
  const db = new Database(file);
  applySteps(db, migrations.slice(0, version));
  db.close();
  return dataDir;
}

/** Everything that users see of their threads, and the request of each thread's first receipt. */
async function readAll({ client }: Instance) {
  const { threads } = await client.listThreads({});
  const opened = threads.map(async ({ id: threadId, title, createdAt, updatedAt }) => {
    const { messages } = await client.getThread({ params: { threadId } });
    const { receipts } = await client.listReceipts({ params: { threadId }, query: {} });
    const receiptId = receipts[0]?.id ?? "";
    const receipt = await client.getReceipt({ params: { threadId, receiptId } });
    const request = await client.getRequest({ params: { threadId, receiptId } });
    return { threadId, title, createdAt, updatedAt, messages, receipt, request };
  });
  return Promise.all(opened);
}

let first: Awaited<ReturnType<typeof readAll>> | undefined;
async function expectSame(instance: Instance): Promise<void> {
  const seen = await readAll(instance);
  expect(seen.length).toBe(7);
  expect(seen.every(({ messages }) => messages.length > 1)).toBe(true);
  first ??= seen;
  expect(seen).toEqual(first);
}

/** Does the same to the file as an earlier version that starts. */
function openAs(version: number, file: string): void {
  const db = new Database(file);
  try {
    ensureMeta(db);
    migrate(db, file, migrations.slice(0, version));
  } finally {
    db.close();
  }
}

test.each(all)("a SQLite file of schema version %i opens, and its copy goes back to that version", async (version) => {
  const dataDir = createOld(version);
  const file = placeOf(dataDir);
  const upgraded = await startInstance({ dataDir });
  await expectSame(upgraded);
  const threadId = await upgraded.start();
  await upgraded.leave();
  expect(() => openAs(version, file)).toThrow("made by a newer Stonechat");

  // As docs/operate.md says: the copy in the place of the database, without the other files.
  const copy = `${file}.before-v${NEWEST}`;
  expect(existsSync(copy)).toBe(true);
  copyFileSync(copy, file);
  for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  openAs(version, file);
  if (!some.includes(version)) return;
  const again = await startInstance({ dataDir });
  await expectSame(again);
  expect((await again.client.listThreads({})).threads.map(({ id }) => id)).not.toContain(threadId);
});

test.skipIf(!findPostgres()).each(some)(
  "a PostgreSQL database of schema version %i opens, and its copy has the rows of that version",
  async (version) => {
    const dataDir = createOld(OLDEST);
    const databaseUrl = await createEmptyDatabase();
    await copyToPostgres(databaseUrl, placeOf(dataDir), OLDEST, version);
    rmSync(placeOf(dataDir));
    const upgraded = await startInstance({ dataDir, env: { STONECHAT_DATABASE_URL: databaseUrl } });
    await expectSame(upgraded);
    const copy = `stonechat_backup_v${version}`;
    const place = { dataDir, databaseUrl };
    expect(await query(place, `select value from ${copy}.meta where key = 'version'`)).toEqual([
      { value: String(version) },
    ]);
    expect(await query(place, `select id from ${copy}.threads`)).toHaveLength(7);
  },
);
