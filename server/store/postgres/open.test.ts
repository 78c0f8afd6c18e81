import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { userStream } from "../../../protocol/ids.ts";
import { findPostgres } from "../../../test/support/postgres-binaries.ts";
import { startPostgres, type Postgres } from "../../../test/support/postgres.ts";
import { batch, event } from "../../../test/support/store-rows.ts";
import { migrations, type Migration } from "../migrations/migrations.ts";
import { withClient } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { openPostgres } from "./open.ts";

const query = async <T extends pg.QueryResultRow>(url: string, sql: string): Promise<readonly T[]> =>
  withClient(url, async (client) => (await client.query<T>(sql)).rows);

describe.skipIf(!findPostgres())("opening PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("rejects a database with synchronous_commit=off", async () => {
    const url = await server.createDatabase();
    const name = new URL(url).pathname.slice(1);
    await query(url, `alter database ${name} set synchronous_commit = off`);
    await expect(openPostgres({ url })).rejects.toThrow(/synchronous_commit=off.*lose acknowledged.*Set it to on/);
    expect(await query(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  test("rejects a database with another encoding", async () => {
    const url = await server.createDatabase();
    await query(url, "create database latin encoding 'LATIN1' locale 'C' template template0");
    await expect(openPostgres({ url: url.replace(/[^/]+$/, "latin") })).rejects.toThrow(
      /encoding LATIN1\. It must be UTF8/,
    );
  });

  test("omits the password when a server cannot be reached", async () => {
    const refused = openPostgres({ url: "postgres://someone:hunter2@127.0.0.1:1/none" });
    await expect(refused).rejects.toMatchObject({
      name: "Unavailable",
      message: expect.stringContaining("127.0.0.1:1"),
    });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
  });

  test("closes all connections", async () => {
    const url = await server.createDatabase();
    const store = await openPostgres({ url });
    const inFlight = store.commit([batch({ events: [event(userStream("a"))] })]);
    await store.read.meta("version");
    await store.close();
    await expect(inFlight).resolves.toEqual([{ ok: true, seqs: [1], epoch: null }]);
    const open =
      "select 1 from pg_stat_activity where datname = current_database() and application_name like 'stonechat %'";
    await expect
      .poll(async () => (await query(url, `${open} and application_name <> 'stonechat migrate'`)).length)
      .toBe(0);
  });

  describe("migrations", () => {
    const second: Migration = { sqlite: [], postgres: ["alter table users add column name text", "select 1"] };
    const broken: Migration = { sqlite: [], postgres: ["alter table users add column name text", "select nonsense"] };
    const run = (url: string, steps: readonly Migration[]) => withClient(url, (client) => migrate(client, steps));
    const filled = async () => {
      const url = await server.createDatabase();
      await run(url, migrations);
      await query(url, "insert into users (id, created_at) values ('old', 1)");
      return url;
    };
    const version = async (url: string) => (await query(url, "select value from meta where key = 'version'"))[0];

    test("makes no backup of a new database", async () => {
      const url = await server.createDatabase();
      await run(url, [...migrations, second]);
      expect(await version(url)).toEqual({ value: String(migrations.length + 1) });
      expect(await query(url, "select 1 from pg_namespace where nspname like 'stonechat_backup%'")).toEqual([]);
    });

    test("backs up an older database before migrating it", async () => {
      const url = await filled();
      await run(url, [...migrations, second]);
      await query(url, "delete from users");
      expect(await query(url, `select * from stonechat_backup_v${migrations.length}.users`)).toEqual([
        { id: "old", created_at: 1 },
      ]);
      const [{ missing } = { missing: -1 }] = await query<{ missing: number }>(
        url,
        `select count(*) as missing from pg_tables t where schemaname = 'public' and not exists
           (select 1 from pg_tables b where b.schemaname = 'stonechat_backup_v${migrations.length}' and b.tablename = t.tablename)`,
      );
      expect(missing).toBe(0);
    });

    test("a failed migration leaves the previous version and can be retried", async () => {
      const url = await filled();
      await expect(run(url, [...migrations, broken])).rejects.toThrow("nonsense");
      expect(await version(url)).toEqual({ value: String(migrations.length) });
      expect(
        await query(
          url,
          "select 1 from information_schema.columns where column_name = 'name' and table_name = 'users'",
        ),
      ).toEqual([]);
      await run(url, [...migrations, second]);
      expect(await version(url)).toEqual({ value: String(migrations.length + 1) });
    });

    test("a process killed during a step leaves the previous version and no lock", async () => {
      const url = await filled();
      const slow: Migration = { sqlite: [], postgres: [...second.postgres, "select pg_sleep(600)"] };
      const cut = run(url, [...migrations, slow]).catch((error: unknown) => error);
      const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
        where query = 'select pg_sleep(600)' and datname = current_database() and pid <> pg_backend_pid()`;
      await expect.poll(async () => (await query(url, terminate)).length).toBe(1);
      expect(await cut).toMatchObject({ name: "Unavailable" });
      expect(await version(url)).toEqual({ value: String(migrations.length) });
      await run(url, [...migrations, second]);
      expect(await query(url, "select id, name from users")).toEqual([{ id: "old", name: null }]);
    });

    test("runs each step once when several nodes start at once", async () => {
      const url = await filled();
      await Promise.all(Array.from({ length: 5 }, () => run(url, [...migrations, second])));
      expect(await version(url)).toEqual({ value: String(migrations.length + 1) });
    });

    test("rejects a database of a newer version", async () => {
      const url = await filled();
      await query(url, "update meta set value = '99' where key = 'version'");
      await expect(openPostgres({ url })).rejects.toThrow("version 99, made by a newer Stonechat");
    });
  });
});

describe.skipIf(!findPostgres())("PostgreSQL settings that lose data", () => {
  test.each(["fsync", "full_page_writes"])("rejects %s=off", async (name) => {
    const server = await startPostgres({ settings: { [name]: "off" } });
    try {
      await expect(openPostgres({ url: server.url })).rejects.toThrow(
        new RegExp(`${name}=off: a power cut .*Set it to on`),
      );
    } finally {
      await server.close();
    }
  });
});
