import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { migrations } from "../../../server/store/migrations/migrations.ts";
import { ensureMeta, migrate } from "../../../server/store/sqlite/migrate.ts";
import { accountsOn, send, setUp } from "../../support/accounts/accounts-instance.ts";
import { startInstance } from "../../support/instance.ts";

const newFolder = () => mkdtempSync(join(tmpdir(), "stonechat-upgrade-"));

test("a data folder of 0.1.0 opens as before, and then with accounts, with all its threads for the first admin", async () => {
  const dataDir = newFolder();
  const stored = join(import.meta.dirname, "../../fixtures/databases/0.1.0.db.gz");
  writeFileSync(join(dataDir, "stonechat.db"), gunzipSync(readFileSync(stored)));
  const personal = await startInstance({ dataDir });
  const { threads: before } = await personal.client.listThreads({});
  expect(before.length).toBeGreaterThan(3);
  const open = await startInstance({ dataDir: await personal.leave(), env: accountsOn });
  const { client } = await setUp(open);
  const { threads } = await client.listThreads({});
  expect(threads.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  for (const { id } of threads)
    expect((await client.getThread({ params: { threadId: id } })).messages.length).toBeGreaterThan(0);
});

test("sessions of the token that were signed in before accounts existed stay valid without accounts, and end with them", async () => {
  const token = "a-token-for-tests-only";
  const id = "a".repeat(43);
  const dataDir = newFolder();
  const file = join(dataDir, "stonechat.db");
  const db = new Database(file);
  ensureMeta(db);
  migrate(db, file, migrations.slice(0, 21));
  const now = Date.now();
  const hash = createHmac("sha256", token).update(`session:${id}`).digest("base64url");
  db.prepare("insert into users (id, created_at) values ('local', 1)").run();
  db.prepare("insert into sessions (id_hash, owner, created_at, expires_at, used_at) values (?, 'local', ?, ?, ?)").run(
    ...[hash, now, now + 1_000_000, now],
  );
  db.close();
  const cookie = `stonechat-session=${id}`;
  const withToken = await startInstance({ dataDir, env: { STONECHAT_TOKEN: token } });
  expect((await send(withToken.url, "GET /api/me", { cookie })).status).toBe(200);
  const { body } = await send(withToken.url, "GET /api/sessions", { cookie });
  expect(body).toMatchObject({ sessions: [{ current: true, method: "token", agent: "", address: "" }] });
  const open = await startInstance({
    dataDir: await withToken.leave(),
    env: { ...accountsOn, STONECHAT_TOKEN: token },
  });
  expect((await send(open.url, "GET /api/me", { cookie })).status).toBe(401);
  await setUp(open);
  expect((await send(open.url, "GET /api/me", { cookie })).status).toBe(401);
});

test("a folder from before limits opens without limits, and its links stay open to everyone", async () => {
  const token = "t".repeat(43);
  const dataDir = newFolder();
  const file = join(dataDir, "stonechat.db");
  const db = new Database(file);
  ensureMeta(db);
  migrate(db, file, migrations.slice(0, 27));
  const shared = { v: 1, title: "Herons", sharedAt: 1, messages: [], leftOut: 0 };
  db.prepare("insert into users (id, created_at) values ('local', 1)").run();
  db.prepare(
    `insert into threads (id, owner, title, title_source, preview, profile, model, status, pinned, archived, message_count, branch, created_at, updated_at)
       values ('t', 'local', 'Herons', 'person', '', 'stone', '', 'idle', 0, 0, 0, 'b', 1, 1)`,
  ).run();
  db.prepare(
    `insert into shares (owner, id, thread, hash, title, messages, redacted, created_at, body)
       values ('local', 's', 't', ?, 'Herons', 0, 0, 1, ?)`,
  ).run(createHash("sha256").update(token).digest("base64url"), JSON.stringify(shared));
  db.close();
  const instance = await startInstance({ dataDir, env: accountsOn });
  const { client } = await setUp(instance);
  expect((await send(instance.url, `GET /api/shared/${token}`)).body).toMatchObject({ title: "Herons" });
  expect((await client.listShares({ query: {} })).shares).toMatchObject([{ id: "s", people: false }]);
  const none = { dayUsd: null, monthUsd: null, models: null, storageBytes: null };
  expect(await client.listRoleLimits({})).toEqual({ admin: none, member: none });
});
