import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPostgres } from "./postgres-binaries.ts";
import { startPostgres, type Postgres } from "./postgres.ts";

describe.skipIf(!findPostgres())("a private PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 120_000);
  afterAll(() => postgres.close());

  test("is as durable as in production", async () => {
    expect(await ask(postgres.url, "show fsync")).toBe("on");
    expect(await ask(postgres.url, "show synchronous_commit")).toBe("on");
    expect(await ask(postgres.url, "show full_page_writes")).toBe("on");
  });

  test("creates empty, separate databases", async () => {
    const [first, second] = [await postgres.createDatabase(), await postgres.createDatabase()];
    await ask(first, "create table kept (n int)");
    expect(await ask(first, "select count(*) from pg_tables where tablename = 'kept'")).toBe("1");
    expect(await ask(second, "select count(*) from pg_tables where tablename = 'kept'")).toBe("0");
  });

  test.each(["fast", "immediate", "kill"] as const)("keeps a committed row after a %s stop", async (mode) => {
    const url = await postgres.createDatabase();
    await ask(url, "create table kept (n int)");
    await ask(url, "insert into kept values (7)");
    const before = postgres.pid();
    await postgres.stop(mode);
    expect(postgres.pid()).toBeUndefined();
    await expect(ask(url, "select n from kept")).rejects.toThrow("ECONNREFUSED");
    await postgres.start();
    expect(postgres.pid()).not.toBe(before);
    expect(await ask(url, "select n from kept")).toBe("7");
  });

  test("folds the case of non-ASCII letters", async () => {
    expect(await ask(postgres.url, "select lower('ÄÉ')")).toBe("äé");
  });
});

test.skipIf(!findPostgres())(
  "stops with its folder removed when the test process is killed",
  async () => {
    const script = `
    const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, "postgres.ts"))});
    const { default: pg } = await import("pg");
    const postgres = await startPostgres();
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query("show data_directory");
    console.log(JSON.stringify({ pid: postgres.pid(), folder: rows[0].data_directory }));
    setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await Promise.race([once(child.stdout, "data"), once(child, "exit")])) as [Buffer];
    const { pid, folder } = JSON.parse(line.toString()) as { pid: number; folder: string };
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => isAlive(pid) || existsSync(folder), { timeout: 20_000 }).toBe(false);
  },
  120_000,
);

async function ask(url: string, sql: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows[0] && String(Object.values(rows[0])[0]);
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
