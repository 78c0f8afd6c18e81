import { Kysely, PostgresDialect, SqliteDialect, type CompiledQuery, type Dialect as Driver } from "kysely";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openPool } from "../../../server/store/postgres/connection.ts";
import { openPostgres } from "../../../server/store/postgres/open.ts";
import { holdsTerms as holdsPostgres, search as searchPostgres } from "../../../server/store/postgres/search.ts";
import {
  listParameter as postgresList,
  nowMs as postgresNow,
  toJson as postgresJson,
} from "../../../server/store/postgres/transact.ts";
import { createReads, type Dialect, type Reads } from "../../../server/store/reads/reads.ts";
import type { Tables } from "../../../server/store/schema.ts";
import { nowMs as sqliteNow, openConnection, toJson as sqliteJson } from "../../../server/store/sqlite/connection.ts";
import { openSqlite } from "../../../server/store/sqlite/open.ts";
import {
  holdsTerms as holdsSqlite,
  listParameter as sqliteList,
  search as searchSqlite,
} from "../../../server/store/sqlite/search.ts";
import { findPostgres } from "../postgres-binaries.ts";
import { startPostgres } from "../postgres.ts";

/** One call of every checked read, by name. */
export type Calls = Readonly<Record<string, (reads: Reads) => Promise<unknown>>>;

type Options = {
  readonly calls: Calls;
  /** SQL that fills the tables for PostgreSQL, whose plans depend on their contents. */
  readonly rows: readonly string[];
  /** Reads that must not sort more rows than they return. */
  readonly ordered: readonly string[];
  /** Reads that may scan a whole project. */
  readonly whole?: readonly string[];
  /** Indexes, and subqueries with a limit, that may be scanned. */
  readonly small: readonly string[];
  /** Parts of plans that are allowed before PostgreSQL has statistics. */
  readonly guessedBadly?: readonly string[];
};

/** Runs each read on both databases and checks its query plan. */
export function describePlans(name: string, options: Options): void {
  describe(name, () => {
    test("on SQLite", () => lookAtSqlite(options));
    test.skipIf(!findPostgres())("on PostgreSQL", () => lookAtPostgres(options));
  });
}

type Explain = (query: CompiledQuery) => Promise<readonly string[]> | readonly string[];

/** Runs each read and returns the faults of its query plan. */
async function findSlow(
  driver: Driver,
  dialect: Omit<Dialect, "inSnapshot">,
  explain: Explain,
  { calls, ordered, whole = [] }: Options,
): Promise<readonly string[]> {
  const queries: CompiledQuery[] = [];
  const db = new Kysely<Tables>({ dialect: driver, log: ({ query }) => void queries.push(query) });
  const reads = createReads(db, { ...dialect, inSnapshot: (all, read) => read(all) });
  const slow: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    queries.length = 0;
    await call(reads);
    expect(queries.length, name).toBeGreaterThan(0);
    for (const query of queries) {
      for (const found of await explain(query)) {
        if (found.startsWith("sort") && !ordered.includes(name)) continue;
        if (found.startsWith("the whole project") && whole.includes(name)) continue;
        slow.push(`${name}: ${found}`);
      }
    }
  }
  return slow;
}

async function lookAtSqlite(options: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-plans-"));
  const file = join(folder, "stonechat.db");
  await (await openSqlite({ file })).close();
  const database = openConnection({ file });
  const explain: Explain = ({ sql, parameters }) =>
    database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...parameters)
      .flatMap(({ detail }) => judgeSqlite(detail, options));
  const control = await explain({
    sql: "select * from messages where role = ? order by id",
    parameters: ["user"],
  } as never);
  expect(control).toEqual(["SCAN messages", "sort: USE TEMP B-TREE FOR ORDER BY"]);
  const slow = await findSlow(
    new SqliteDialect({ database }),
    {
      nowMs: sqliteNow,
      databaseBytes: "0",
      freeBytes: "0",
      toJson: sqliteJson,
      listParameter: sqliteList,
      search: searchSqlite,
      holdsTerms: holdsSqlite,
    },
    explain,
    options,
  );
  rmSync(folder, { recursive: true, force: true });
  expect(slow).toEqual([]);
}

async function lookAtPostgres(options: Options): Promise<void> {
  const server = await startPostgres();
  const url = await server.createDatabase();
  await (await openPostgres({ url })).close();
  const pool = openPool(url, 2);
  const explain: Explain = async ({ sql, parameters }) => {
    const client = await pool.connect();
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(`explain (format json) ${sql}`, parameters);
    client.release();
    return rows.flatMap((row) => judgePostgres(row["QUERY PLAN"][0].Plan, options));
  };
  const control = await explain({ sql: "select * from messages where role = $1", parameters: ["user"] } as never);
  expect(control).toEqual(["Seq Scan on messages"]);
  const look = () =>
    findSlow(
      new PostgresDialect({ pool }),
      {
        nowMs: postgresNow,
        databaseBytes: "0",
        freeBytes: "0",
        toJson: postgresJson,
        listParameter: postgresList,
        search: searchPostgres,
        holdsTerms: holdsPostgres,
      },
      explain,
      options,
    );
  const ask = async (sql: string) => {
    const client = await pool.connect();
    await client.query(sql, []);
    client.release();
  };
  for (const sql of options.rows) await ask(sql);
  const guessed = (await look()).filter((found) => !options.guessedBadly?.some((word) => found.includes(word)));
  expect({ beforeStatistics: guessed }).toEqual({ beforeStatistics: [] });
  await ask("analyze");
  expect({ afterStatistics: await look() }).toEqual({ afterStatistics: [] });
  await server.close();
}

function judgeSqlite(detail: string, { small }: Options): readonly string[] {
  if (/^SEARCH .*PRIMARY KEY \(thread=\?\)$/.test(detail)) return [`the whole thread: ${detail}`];
  if (/^SEARCH .*\(project=\?\)$/.test(detail)) return [`the whole project: ${detail}`];
  if (detail.includes("TEMP B-TREE FOR ORDER BY")) return [`sort: ${detail}`];
  const isTable = /^SCAN (?!c$|i$|w$|chain|json_each |(?:\d+ )?CONSTANT|\(subquery|search_index)/.test(detail);
  return isTable && !small.some((index) => detail.includes(index)) ? [detail] : [];
}

type Plan = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Plan[];
};

function judgePostgres(plan: Plan, options: Options): readonly string[] {
  const { "Node Type": kind, "Relation Name": table, "Index Name": index = "", "Index Cond": condition = "" } = plan;
  const found: string[] = [];
  const isSmall = options.small.includes(index);
  if (kind === "Seq Scan") found.push(`Seq Scan on ${table}`);
  if (/Index/.test(kind) && condition === "" && !isSmall) found.push(`${kind} of all of ${index}`);
  if (/^\(thread = [^()]*\)$/.test(condition) && !isSmall) found.push(`the whole thread by ${index}`);
  if (/^\(project = [^()]*\)$/.test(condition) && !isSmall) found.push(`the whole project by ${index}`);
  return [...found, ...(plan.Plans ?? []).flatMap((below) => judgePostgres(below, options))];
}
