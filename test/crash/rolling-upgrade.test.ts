import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { openThreadClient, type ThreadClient } from "../support/server/thread-client.ts";

/** A running node while its PostgreSQL changes: a newer schema, a full disk, a read-only server. */
describe.skipIf(!findPostgres())("a running node on PostgreSQL", () => {
  let server: ServerProcess;
  let chat: ThreadClient;
  let admin: pg.Client;
  beforeAll(async () => {
    const databaseUrl = await createDatabase();
    server = await startServer({ databaseUrl, program: "main" });
    chat = await openThreadClient(server, "talk");
    admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
  });
  afterAll(async () => {
    chat?.close();
    await admin?.end();
    await server?.close();
  });

  const readyz = async () => {
    const response = await fetch(`${server.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  /** Every kind of request that a page makes, several at once, so that all connections of the pool are used. */
  const useAll = async (): Promise<readonly number[]> => {
    const paths = ["threads", "threads/talk", "threads/talk/messages", "projects", "memory", "costs", "search?q=word"];
    const asked = Array.from({ length: 5 }, () => paths).flat();
    const statuses = await Promise.all(asked.map(async (path) => (await fetch(`${server.url}/api/${path}`)).status));
    const { message, run } = await chat.answered(await chat.send("say a word"));
    expect([run.outcome, textOf(message.parts)]).toEqual(["done", "a word"]);
    return statuses.filter((status) => status !== 200);
  };

  test("handles every request while tables get new columns and column types", async () => {
    expect(await useAll()).toEqual([]);
    const tables = ["threads", "messages", "parts", "runs", "calls", "inputs", "streams", "memory", "summaries"];
    for (const table of tables) await admin.query(`alter table ${table} add column newer text`);
    expect(await useAll()).toEqual([]);
    for (const table of tables) await admin.query(`alter table ${table} drop column newer`);
    await admin.query("alter table threads alter column message_count type bigint");
    await admin.query("alter table streams alter column epoch type integer");
    expect(await useAll()).toEqual([]);
    expect(await readyz()).toMatchObject({ status: 200 });
    expect(server.output()).not.toContain("cached plan");
  });

  test("is not ready when the schema is newer than the node", async () => {
    await admin.query("update meta set value = '999' where key = 'version'");
    const ready = await readyz();
    expect(ready.status).toBe(503);
    expect(ready.text).toContain("schema version 999");
    const { rows } = await admin.query<{ count: number }>("select count(*)::int as count from meta");
    expect(rows[0]?.count).toBeGreaterThan(0);
  });

  test("is not ready while the disk is full, and ready again afterwards", async () => {
    const version = (await import("../../server/store/migrations/migrations.ts")).migrations.length;
    await admin.query("update meta set value = $1 where key = 'version'", [String(version)]);
    expect(await readyz()).toMatchObject({ status: 200 });
    await admin.query(`create function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    await admin.query("create trigger full_events before insert on events for each row execute function no_space()");
    await admin.query(
      "create trigger full_meta before insert or update on meta for each row when (length(new.value) > 1000) execute function no_space()",
    );
    const refused = await fetch(`${server.url}/api/threads`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "no-room" }),
    });
    expect(refused.status).toBe(507);
    const ready = await readyz();
    expect(ready.status).toBe(503);
    expect(ready.text).toContain("disk is full");
    await admin.query("drop trigger full_events on events");
    await admin.query("drop trigger full_meta on meta");
    expect(await readyz()).toMatchObject({ status: 200 });
    expect(await useAll()).toEqual([]);
  });

  test("is not ready while PostgreSQL is read-only", async () => {
    await admin.query("alter system set default_transaction_read_only = on");
    await admin.query("select pg_reload_conf()");
    await expect.poll(async () => (await readyz()).status).toBe(503);
    await admin.query("begin read write");
    await admin.query("commit");
    await admin.query("set default_transaction_read_only = off");
    await admin.query("alter system reset default_transaction_read_only");
    await admin.query("select pg_reload_conf()");
    await expect.poll(async () => (await readyz()).status).toBe(200);
  });
});
