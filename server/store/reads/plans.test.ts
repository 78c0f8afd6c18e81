import { Kysely, PostgresDialect, SqliteDialect, type CompiledQuery, type Dialect as Driver } from "kysely";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { threadStream } from "../../../protocol/ids.ts";
import { findPostgres } from "../../../test/support/postgres-binaries.ts";
import { startPostgres } from "../../../test/support/postgres.ts";
import { openPool } from "../postgres/connection.ts";
import { openPostgres } from "../postgres/open.ts";
import { holdsTerms as holdsPostgres, search as searchPostgres } from "../postgres/search.ts";
import { nowMs as postgresNow, toJson as postgresJson } from "../postgres/transact.ts";
import type { Tables } from "../schema.ts";
import { nowMs as sqliteNow, toJson as sqliteJson } from "../sqlite/commit.ts";
import { openConnection } from "../sqlite/connection.ts";
import { openSqlite } from "../sqlite/open.ts";
import { holdsTerms as holdsSqlite, search as searchSqlite } from "../sqlite/search.ts";
import { createReads, type Dialect, type Reads } from "./reads.ts";

/** Read whole by design: they hold only what is alive or waiting. */
const smallIndexes = ["runs_alive", "inputs_waiting", "jobs_due"];

/** A list as long as a search asks for: planners change their mind with its length. */
const many = Array.from({ length: 100 }, (_, n) => n + 1);

/** One call of every read that a request may make. */
const calls: Readonly<Record<string, (reads: Reads) => Promise<unknown>>> = {
  events: ({ events }) => events(threadStream("t"), 5, 10),
  heads: ({ heads }) => heads([threadStream("t"), threadStream("u")]),
  lease: ({ lease }) => lease(threadStream("t")),
  abandonedThreads: ({ abandonedThreads }) => abandonedThreads(10),
  meta: ({ meta }) => meta("version"),
  thread: ({ thread }) => thread("t"),
  threadsById: ({ threadsById }) => threadsById(["t", "u"]),
  "threads, first page": ({ threads }) => threads({ owner: "o", archived: false, after: null, limit: 10 }),
  "threads, next page": ({ threads }) =>
    threads({ owner: "o", archived: false, after: { pinned: 0, updatedAt: 5, id: "t" }, limit: 10 }),
  search: ({ search }) => search({ owner: "o", terms: ["a", "b"], limit: 10 }),
  isMember: ({ isMember }) => isMember("t", "o"),
  segments: ({ segments }) => segments({ thread: "t", branch: "b", upTo: 100 }, 50),
  pathEnd: ({ pathEnd }) => pathEnd("t", [{ branch: "b", parent: null, from: 0, to: 100 }], 50),
  partsOf: ({ partsOf }) => partsOf("t", ["m", "n"]),
  message: ({ message }) => message("t", "m"),
  branch: ({ branch }) => branch("t", "b"),
  forksOf: ({ forksOf }) => forksOf("t", "b"),
  siblings: ({ siblings }) => siblings("t", { parents: ["b", "c"], from: 10, to: 60 }),
  input: ({ input }) => input("t", "i"),
  queued: ({ queued }) => queued("t"),
  liveRun: ({ liveRun }) => liveRun("t"),
  run: ({ run }) => run("r"),
  runs: ({ runs }) => runs("t", 10),
  calls: ({ calls: callsOf }) => callsOf("t", "r"),
  receipt: ({ receipt }) => receipt("r"),
  memory: ({ memory }) => memory("o"),
  remembered: ({ remembered }) => remembered("o"),
  memoryChanges: ({ memoryChanges }) => memoryChanges("o", 10),
  memoryChangesOf: ({ memoryChangesOf }) => memoryChangesOf("o", "notes"),
  memoryChangesFrom: ({ memoryChangesFrom }) => memoryChangesFrom("o", "t"),
  agentState: ({ agentState }) => agentState("t", "b"),
  costs: ({ costs }) => costs({ owner: "o", from: 4000, to: 4100, by: "model" }),
  spent: ({ spent }) => spent("o", 4000, 4100),
  callsSince: ({ callsSince }) => callsSince("o", 4900),
  budgets: ({ budgets }) => budgets("o"),
  job: ({ job }) => job("j"),
  openJobs: ({ openJobs }) => openJobs(["summary", "state"], 10),
  summary: ({ summary }) => summary("s"),
  summaries: ({ summaries }) => summaries("t", [{ branch: "b", parent: null, from: 0, to: 100 }], 10),
  summariesById: ({ summariesById }) => summariesById(["s", "r"]),
  summariesOn: ({ summariesOn }) => summariesOn("t", [{ branch: "b", parent: null, from: 0, to: 100 }]),
  summaryChanges: ({ summaryChanges }) => summaryChanges("t", "s"),
  editedSummaries: ({ editedSummaries }) => editedSummaries("t", ["s", "r"]),
  tokensOf: ({ tokensOf }) => tokensOf("t", ["m1", "m2"]),
  callsOfJob: ({ callsOfJob }) => callsOfJob("t", "j"),
  recallStates: ({ recallStates }) => recallStates("t", ["b", "b1"]),
  recallDocs: ({ recallDocs }) => recallDocs("t", ["b", "b1"]),
  recallDocBlock: ({ recallDocBlock }) => recallDocBlock("t", "b", 3),
  recallPostings: ({ recallPostings }) =>
    recallPostings(
      "t",
      many.map((n) => `w${n}`),
      4000,
    ),
  recallBlock: ({ recallBlock }) => recallBlock({ thread: "t", branch: "b", block: 3 }, ["w1", "w2"]),
  recallMessages: ({ recallMessages }) => recallMessages({ thread: "t", branch: "b", above: 5, upTo: 90 }, 20),
  recallTexts: ({ recallTexts }) => recallTexts("t", "b", many),
  recallParts: ({ recallParts }) =>
    recallParts(
      "t",
      many.map((n) => `m${n}`),
    ),
  recallArtifacts: ({ recallArtifacts }) => recallArtifacts("t", ["m1", "m2"]),
};

/** PostgreSQL plans by what the tables hold: one large thread among small ones. */
const largeThread = [
  `insert into users (id, created_at)
     select 'o', 1`,
  `insert into threads (id, owner, title, title_source, preview, profile, model, status, pinned, archived, message_count, branch, created_at, updated_at)
     select id, 'o', '', 'none', '', '', '', 'idle', 0, 0, 0, 'b', n, n
     from (select case n when 0 then 't' else 'u' || n end as id, n from generate_series(0, 300) n) x`,
  `insert into branches (thread, id, parent, fork_depth, tip, used_at)
     select 't', case n when 0 then 'b' else 'b' || n end, 
     case when n = 0 then null when n % 25 = 0 then 'b' else 'b' || (n - n % 25) end, n, n + 1, n from generate_series(0, 500) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 't', 'm' || n, 'b', n, 'user', null, n from generate_series(1, 20000) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 't', 'f' || n, 'b' || n, n + 1, 'user', null, n from generate_series(1, 500) n`,
  `insert into messages (thread, id, branch, depth, role, run, created_at)
     select 'u' || n, 'm', 'b', 1, 'user', null, n from generate_series(1, 300) n`,
  `insert into parts (thread, message, n, v, kind, tokens, body)
     select thread, id, 0, 1, 'text', 1, '{}' from messages`,
  `insert into streams (id, head, epoch, holder, lease_until)
     select 'thread:' || id, 20000, 0, null, 0 from threads`,
  `insert into events (stream, seq, transient, body, message, n)
     select 'thread:t', n, 0, '{}', 'm' || n, 0 from generate_series(1, 20000) n`,
  `insert into inputs (thread, id, kind, mode, hash, body, state, seq, created_at)
     select 't', 'i' || n, 'message', 'queue', '', '', 'done', n, n from generate_series(1, 5000) n`,
  `insert into runs (id, thread, message, v, body, ended, stop, started_at, ended_at)
     select 'r' || n, 't', 'm', 1, '{}', 1, 0, n, n from generate_series(1, 5000) n`,
  `insert into calls (id, thread, run, purpose, step, attempt, model, provider, outcome, reason, usage, cost_usd, receipt, started_at, ended_at, owner)
     select 'c' || n, 't', 'r' || n, '', 0, 0, '', '', '', null, '{}', null, null, n, n, 'o'
     from generate_series(1, 5000) n`,
  `insert into memory_changes (id, owner, field, before, after, reason, thread, message, undone, created_at)
     select 'c' || n, 'o', 'field ' || n % 8, '', '', '', 'u' || n % 300, null, 0, n from generate_series(1, 5000) n`,
  `insert into agent_states (thread, branch, depth, v, body, expires_at, updated_at)
     select thread, id, 1, 1, '{}', 1, 1 from branches`,
  `insert into memory (owner, field, value, change, updated_at)
     select 'o', 'field ' || n, '', 'c' || n, n from generate_series(0, 7) n`,
  `insert into summaries (id, thread, branch, from_depth, to_depth, from_message, to_message, messages, level, status, cause,
     hash, fields, source_tokens, tokens, cost_usd, model, tainted, merged_into, error, created_at, updated_at)
     select 's' || n, 't', 'b', n * 8, n * 8 + 7, '', '', 8, 0, 'completed', 'auto', 'h' || n, '{}', 1, 1, null, null, 0,
     case when n < 2400 then 's' || (n + 1) end, null, n, n from generate_series(1, 2500) n`,
  `insert into summary_changes (id, thread, summary, before, after, undone, created_at)
     select 'c' || n, 't', 's' || n / 2, '', '', n % 2, n from generate_series(1, 5000) n`,
  `insert into jobs (id, kind, key, thread, owner, state, holder, epoch, lease_until, attempts, not_before, body, error, created_at, updated_at)
     select 'j' || n, 'summary', 'k' || n, 't', 'o', 'done', null, 1, 0, 1, n, '{}', null, n, n from generate_series(1, 5000) n`,
  `insert into recall_states (thread, branch, version, depth, docs)
     select thread, id, 1, 1, 1 from branches`,
  `insert into recall_docs (thread, branch, block, body, sessions)
     select thread, id, n, '', '[]' from branches, generate_series(0, 20) n`,
  `insert into recall_postings (thread, term, branch, block, count, body)
     select 't', 'w' || n, 'b', n % 4, 1, 'AA==' from generate_series(1, 20000) n`,
  `insert into artifacts (id, thread, ref, message, kind, title, url, type, hash, body, meta, created_at)
     select 'a' || n, 't', n, 'm' || n, 'page', '', null, '', '', '', '{}', n from generate_series(1, 3000) n`,
  `insert into search_docs (thread, message, owner, at, text, terms)
     select thread, id, 'o', depth, '', 'a b' from messages`,
];

/** Reads that page must not sort what they do not return. */
const ordered = ["events", "threads, first page", "threads, next page", "pathEnd"];

type Explain = (query: CompiledQuery) => Promise<readonly string[]> | readonly string[];

/** Runs each read and asks the database how it went about it; answers what it should not have done. */
async function findSlow(
  driver: Driver,
  dialect: Omit<Dialect, "inSnapshot">,
  explain: Explain,
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
        if (!found.startsWith("sort") || ordered.includes(name)) slow.push(`${name}: ${found}`);
      }
    }
  }
  return slow;
}

describe("every read goes by an index", () => {
  test("on SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stonechat-plans-"));
    const file = join(folder, "stonechat.db");
    await (await openSqlite({ file })).close();
    const database = openConnection({ file });
    const explain: Explain = ({ sql, parameters }) =>
      database
        .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
        .all(...parameters)
        .flatMap(({ detail }) => judgeSqlite(detail));
    const control = await explain({
      sql: "select * from messages where role = ? order by id",
      parameters: ["user"],
    } as never);
    expect(control).toEqual(["SCAN messages", "sort: USE TEMP B-TREE FOR ORDER BY"]);
    const slow = await findSlow(
      new SqliteDialect({ database }),
      { nowMs: sqliteNow, toJson: sqliteJson, search: searchSqlite, holdsTerms: holdsSqlite },
      explain,
    );
    rmSync(folder, { recursive: true, force: true });
    expect(slow).toEqual([]);
  });

  test.skipIf(!findPostgres())("on PostgreSQL", async () => {
    const server = await startPostgres();
    const url = await server.createDatabase();
    await (await openPostgres({ url })).close();
    const pool = openPool(url, 2);
    const explain: Explain = async ({ sql, parameters }) => {
      const client = await pool.connect();
      const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
        `explain (format json) ${sql}`,
        parameters,
      );
      client.release();
      return rows.flatMap((row) => judgePostgres(row["QUERY PLAN"][0].Plan));
    };
    const control = await explain({ sql: "select * from messages where role = $1", parameters: ["user"] } as never);
    expect(control).toEqual(["Seq Scan on messages"]);
    const look = () =>
      findSlow(
        new PostgresDialect({ pool }),
        { nowMs: postgresNow, toJson: postgresJson, search: searchPostgres, holdsTerms: holdsPostgres },
        explain,
      );
    const ask = async (sql: string) => {
      const client = await pool.connect();
      await client.query(sql, []);
      client.release();
    };
    for (const sql of largeThread) await ask(sql);
    const guessed = (await look()).filter((found) => !found.includes("branches"));
    expect({ beforeStatistics: guessed }).toEqual({ beforeStatistics: [] });
    await ask("analyze");
    expect({ afterStatistics: await look() }).toEqual({ afterStatistics: [] });
    await server.close();
  });
});

function judgeSqlite(detail: string): readonly string[] {
  if (/^SEARCH .*PRIMARY KEY \(thread=\?\)$/.test(detail)) return [`the whole thread: ${detail}`];
  if (detail.includes("TEMP B-TREE FOR ORDER BY")) return [`sort: ${detail}`];
  const isTable = /^SCAN (?!c$|i$|w$|chain|(?:\d+ )?CONSTANT|\(subquery|search_index)/.test(detail);
  return isTable && !smallIndexes.some((index) => detail.includes(index)) ? [detail] : [];
}

type Plan = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Plan[];
};

function judgePostgres(plan: Plan): readonly string[] {
  const { "Node Type": kind, "Relation Name": table, "Index Name": index = "", "Index Cond": condition = "" } = plan;
  const found: string[] = [];
  const isSmall = smallIndexes.includes(index) || index === "runs_of_thread";
  if (kind === "Seq Scan") found.push(`Seq Scan on ${table}`);
  if (/Index/.test(kind) && condition === "" && !isSmall) found.push(`${kind} of all of ${index}`);
  if (/^\(thread = [^()]*\)$/.test(condition) && !isSmall) found.push(`the whole thread by ${index}`);
  return [...found, ...(plan.Plans ?? []).flatMap(judgePostgres)];
}
