import type { Batch, BatchResult, PlannedEvent } from "../contract.ts";
import { toStorable } from "../write-sql.ts";
import type { Client } from "./connection.ts";
import { assignSeqs, type LockedStream } from "./assign-seqs.ts";

/** Events as one array per column, for a single statement. */
export const toColumns = (events: readonly PlannedEvent[]) => [
  events.map(({ stream }) => stream),
  events.map(({ transient }) => (transient ? 1 : 0)),
  events.map(({ body }) => toStorable(body)),
  events.map(({ part, about }) => part?.message ?? about ?? null),
  events.map(({ part }) => part?.n ?? null),
];

/**
 * Locks the streams ordered by name, checks each fence, assigns seqs, inserts the events and advances the heads, in one
 * statement and one round trip. Writes nothing if a stream does not exist yet.
 */
const appendSql = `
  with locked as materialized (
    select id, head, epoch from streams where id = any ($1::text[]) order by id for update
  ), whole as (
    select count(*) = cardinality($1::text[]) as yes from locked
  ), stale as (
    select f.batch from unnest($2::integer[], $3::text[], $4::bigint[]) as f (batch, stream, epoch)
      join locked l on l.id = f.stream where l.epoch <> f.epoch
  ), added as materialized (
    select e.stream, l.head + row_number() over (partition by e.stream order by e.place) as seq,
           e.transient, e.body, e.message, e.n
      from unnest($5::integer[], $6::text[], $7::integer[], $8::text[], $9::text[], $10::integer[])
        with ordinality as e (batch, stream, transient, body, message, n, place)
      join locked l on l.id = e.stream
      where (select yes from whole) and e.batch not in (select batch from stale)
  ), inserted as (
    insert into events (stream, seq, transient, body, message, n)
      select stream, seq, transient, body, message, n from added
  ), raised as (
    update streams s set head = a.head
      from (select stream, max(seq) as head from added group by stream) a where s.id = a.stream
  )
  select id, head, epoch from locked`;

/** Batches that only add events and at most check a fence, such as streamed deltas. */
export const onlyAppends = ({ writes, revoke, fence }: Batch): boolean =>
  writes.length === 0 && revoke === undefined && !fence?.acquire && !fence?.release;

/** Returns undefined, with nothing written, if a stream does not exist yet. */
export async function append(client: Client, batches: readonly Batch[]): Promise<readonly BatchResult[] | undefined> {
  const streams = [
    ...new Set(batches.flatMap(({ fence, events }) => [...(fence ? [fence] : []), ...events].map(toStream))),
  ];
  const fences = batches.flatMap(({ fence }, batch) => (fence ? [{ ...fence, batch }] : []));
  const { rows } = await client.query<Omit<LockedStream, "free">>({
    name: "append",
    text: appendSql,
    values: [
      streams,
      fences.map(({ batch }) => batch),
      fences.map(toStream),
      fences.map(({ epoch }) => epoch),
      batches.flatMap(({ events }, batch) => events.map(() => batch)),
      ...toColumns(batches.flatMap(({ events }) => events)),
    ],
  });
  if (rows.length < streams.length) return undefined;
  return assignSeqs(
    batches,
    rows.map((row) => ({ ...row, free: true })),
  ).results;
}

const toStream = ({ stream }: { readonly stream: string }): string => stream;
