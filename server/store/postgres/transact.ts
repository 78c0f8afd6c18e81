import { sql } from "kysely";
import type { QueryResult } from "pg";
import type { Batch, BatchResult } from "../contract.ts";
import type { ListParameter } from "../reads/reads.ts";
import { isFilePiece, readPieces, toStatement } from "../write-sql.ts";
import { toColumns } from "./append.ts";
import type { Client } from "./connection.ts";
import { assignSeqs, type LockedStream, type StreamState } from "./assign-seqs.ts";

export const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** A text column as JSON, for `->>`. */
export const toJson = (column: string): string => `${column}::json`;
export const listParameter: ListParameter = {
  bind: (values) => values,
  holds: (bound, column) => sql<boolean>`${sql.ref(column)} = any(${bound})`,
};

/** An update did not match exactly one row. The whole transaction was rolled back. */
export class Missing extends Error {}

type Query = { readonly name: string; readonly text: string; readonly values: unknown[]; readonly expectOne?: boolean };

const makeSql = `
  insert into streams (id, head, epoch, holder, lease_until)
    select id, 0, 0, null, 0 from unnest($1::text[]) as id order by id on conflict (id) do nothing returning id`;
const lockSql = `
  select id, head, epoch, lease_until <= ${nowMs} as free from streams where id = any ($1::text[]) order by id for update`;
const raiseSql = `
  update streams s set head = c.head, epoch = c.epoch,
      holder = case when c.ttl is null then s.holder else c.holder end,
      lease_until = case when c.ttl is null then s.lease_until when c.holder is null then 0 else ${nowMs} + c.ttl end
    from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[]) as c (id, head, epoch, holder, ttl)
    where s.id = c.id`;
const insertSql = `
  insert into events (stream, seq, transient, body, message, n)
    select * from unnest($1::text[], $2::bigint[], $3::integer[], $4::text[], $5::text[], $6::integer[])`;

/**
 * Commits all batches in one transaction, in two or three round trips: lock the streams ordered by name, send all statements
 * together, commit. Fenced batches are skipped. Throws on a constraint or a missing row, with nothing written.
 */
export async function transact(client: Client, batches: readonly Batch[]): Promise<readonly BatchResult[]> {
  try {
    const locked = await lock(client, batches);
    const { results, after } = assignSeqs(batches, locked);
    const queries = [...raise(locked, after), ...forget(locked, after), ...toQueries(batches, results)];
    const sent = await sendAll(client, queries);
    if (queries.some(({ expectOne }) => expectOne)) await checkAll(queries, sent);
    const answers = await inOrder([...sent, client.query("commit")]);
    const command = answers.at(-1)?.command;
    if (command !== "COMMIT") throw new Error(`PostgreSQL answered ${command} to a commit.`);
    return results;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Sends all queries at once, except file pieces, of which only one is in memory at a time. */
async function sendAll(client: Client, queries: readonly Query[]): Promise<readonly Promise<QueryResult>[]> {
  const sent: Promise<QueryResult>[] = [];
  for (const query of queries) {
    const hasPiece = query.values.some(isFilePiece);
    const answer = client.query(hasPiece ? { ...query, values: readPieces(query.values) } : query);
    sent.push(answer);
    // The failure is handled by `inOrder`; this only prevents an unhandled rejection until then.
    answer.catch(() => {});
    if (hasPiece) await answer;
  }
  return sent;
}

async function lock(client: Client, batches: readonly Batch[]): Promise<readonly LockedStream[]> {
  const made = new Set<string>();
  const all = new Set<string>();
  for (const { fence, events, revoke } of batches) {
    for (const { stream } of events) {
      all.add(stream);
      if (stream !== fence?.stream) made.add(stream);
    }
    if (fence) all.add(fence.stream);
    if (revoke) all.add(revoke);
  }
  const [, making, locking] = await inOrder([
    client.query("begin"),
    client.query<{ id: string }>({ name: "make", text: makeSql, values: [[...made]] }),
    client.query<LockedStream>({ name: "lock", text: lockSql, values: [[...all]] }),
  ] as const);
  const fresh = new Set(making.rows.map(({ id }) => id));
  return locking.rows.map((row) => ({ ...row, made: fresh.has(row.id) }));
}

function raise(locked: readonly LockedStream[], after: ReadonlyMap<string, StreamState>): readonly Query[] {
  const before = new Map(locked.map((row) => [row.id, row]));
  const changed = [...after].filter(([id, { head, epoch, lease }]) => {
    const was = before.get(id);
    return was?.head !== head || was.epoch !== epoch || lease !== undefined;
  });
  if (changed.length === 0) return [];
  const values = [
    changed.map(([id]) => id),
    changed.map(([, { head }]) => head),
    changed.map(([, { epoch }]) => epoch),
    changed.map(([, { lease }]) => lease?.holder ?? null),
    changed.map(([, { lease }]) => (lease === undefined ? null : (lease?.ttlMs ?? 0))),
  ];
  return [{ name: "raise", text: raiseSql, values }];
}

/** Deletes streams that were created for batches that turned out to be fenced. */
function forget(locked: readonly LockedStream[], after: ReadonlyMap<string, StreamState>): readonly Query[] {
  const unused = locked.filter(({ id, made }) => made && !after.has(id)).map(({ id }) => id);
  if (unused.length === 0) return [];
  return [{ name: "forget", text: "delete from streams where id = any ($1::text[])", values: [unused] }];
}

/** Each batch's writes, then its events. Events of several batches are inserted together unless a later write reads them. */
function toQueries(batches: readonly Batch[], results: readonly BatchResult[]): readonly Query[] {
  const queries: Query[] = [];
  let events: Batch["events"][number][] = [];
  let seqs: number[] = [];
  const insert = () => {
    if (events.length === 0) return;
    const [streams, ...rest] = toColumns(events);
    queries.push({ name: "insert", text: insertSql, values: [streams, seqs, ...rest] });
    events = [];
    seqs = [];
  };
  for (const [index, batch] of batches.entries()) {
    const result = results[index];
    if (!result?.ok) continue;
    if (batch.writes.some(({ table }) => table === "events")) insert();
    for (const write of batch.writes) queries.push(toQuery(toStatement(write, result.seqs)));
    events.push(...batch.events);
    seqs.push(...result.seqs);
  }
  insert();
  return queries;
}

const written = new Map<string, { readonly name: string; readonly text: string }>();

/** There are few distinct statements, so each gets a name and is planned once per connection. */
function toQuery({ sql, parameters, expectOne }: ReturnType<typeof toStatement>): Query {
  let known = written.get(sql);
  if (!known) {
    let mark = 0;
    known = { name: `write ${written.size}`, text: sql.replaceAll("?", () => `$${(mark += 1)}`) };
    written.set(sql, known);
  }
  return { ...known, values: [...parameters], expectOne };
}

async function checkAll(queries: readonly Query[], sent: readonly Promise<QueryResult>[]): Promise<void> {
  const answers = await inOrder(sent);
  for (const [index, { rowCount }] of answers.entries()) {
    if (queries[index]?.expectOne && rowCount !== 1) throw new Missing("An update matched no row.");
  }
}

/** All results or the first error, after every query has finished. */
async function inOrder<T extends readonly Promise<unknown>[]>(
  sent: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(sent);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return settled.map((one) => (one.status === "fulfilled" ? one.value : undefined)) as never;
}
