import { sql, type Kysely } from "kysely";
import type { StreamName } from "../../../protocol/ids.ts";
import { withPart } from "../contract.ts";
import type { Tables } from "../schema.ts";
import type { Dialect } from "./reads.ts";
import type { Ask } from "./cached-queries.ts";
import { runWaiting } from "../codes.ts";

export type EventRow = { readonly seq: number; readonly body: string };
type LeaseRow = { readonly epoch: number; readonly head: number; readonly free: boolean };

/** Deltas that a store has in memory, in addition to its rows. */
export type Live = {
  readonly rows: (stream: string, after: number) => readonly EventRow[];
  /** Seq of the last delta, or 0. */
  readonly head: (stream: string) => number;
};

export const readLog = (db: Kysely<Tables>, dialect: Dialect, ask: Ask) => {
  const headOf = (stream: string, stored: number): number => Math.max(stored, dialect.live?.head(stream) ?? 0);
  return {
    /** Rows after the cursor in order, with settled parts inserted. */
    events: async (stream: StreamName, after: number, limit: number): Promise<readonly EventRow[]> => {
      await dialect.settled?.(stream);
      const threadId = stream.startsWith("thread:") ? stream.slice("thread:".length) : "";
      const rows = await ask("events", [threadId, stream, after, limit], ([threadId, stream, after, limit]) =>
        db
          .selectFrom("events as e")
          .select((of) => [
            "e.seq",
            "e.body",
            "e.message",
            of
              .selectFrom("parts as p")
              .select("p.body")
              .where("p.thread", "=", threadId)
              .whereRef("p.message", "=", "e.message")
              .whereRef("p.n", "=", "e.n")
              .as("partBody"),
          ])
          .where("e.stream", "=", stream)
          .where("e.seq", ">", after)
          .orderBy("e.seq")
          .limit(limit),
      );
      const stored = rows.map(({ seq, body, message, partBody }) => ({
        seq,
        body: message === null || partBody === null ? body : withPart(body, partBody),
      }));
      return merge(stored, dialect.live?.rows(stream, after) ?? [], limit);
    },

    heads: async (streams: readonly StreamName[]): Promise<ReadonlyMap<string, number>> => {
      const heads = new Map<string, number>();
      if (streams.length === 1) {
        const [row] = await ask("head", streams, ([stream]) =>
          db
            .selectFrom("streams")
            .select(["id", "head"])
            .where("id", "=", stream as StreamName),
        );
        return new Map(row ? [[row.id, headOf(row.id, row.head)]] : []);
      }
      if (streams.length === 0) return heads;
      const { bind, holds } = dialect.listParameter;
      const rows = await ask("heads", [bind(streams)], ([list]) =>
        db.selectFrom("streams").select(["id", "head"]).where(holds(list, "id")),
      );
      for (const row of rows) heads.set(row.id, headOf(row.id, row.head));
      return heads;
    },

    /** The lease of a stream, by the database's clock. */
    lease: async (stream: StreamName): Promise<LeaseRow> => {
      const [row] = await ask("lease", [stream], ([stream]) =>
        db
          .selectFrom("streams")
          .select(["epoch", "head", sql<number>`lease_until <= ${sql.raw(dialect.nowMs)}`.as("free")])
          .where("id", "=", stream),
      );
      if (!row) return { epoch: 0, head: 0, free: true };
      return { epoch: row.epoch, head: headOf(stream, row.head), free: Boolean(row.free) };
    },

    /** Threads with work to do and no lease. */
    /** Numbers for operators. */
    instanceCounts: async () => {
      const count = sql<number>`count(*)`.as("count");
      const runs = db.selectFrom("runs").select(["waiting", count]).where("ended", "=", sql.lit(0)).groupBy("waiting");
      const inputs = db.selectFrom("inputs").select(count).where("state", "=", sql.lit("queued"));
      const [open, queued, size] = await Promise.all([
        runs.execute(),
        inputs.executeTakeFirst(),
        sql<{ bytes: number }>`select ${sql.raw(dialect.databaseBytes)} as bytes`.execute(db),
      ]);
      const isWaiting = ({ waiting }: { readonly waiting: number }) => waiting === runWaiting.forUser;
      const sum = (rows: typeof open) => rows.reduce((total, row) => total + Number(row.count), 0);
      return {
        runsWaiting: sum(open.filter(isWaiting)),
        runsActive: sum(open.filter((row) => !isWaiting(row))),
        inputsQueued: Number(queued?.count ?? 0),
        databaseBytes: Number(size.rows[0]?.bytes ?? 0),
      };
    },

    abandonedThreads: async (limit: number): Promise<readonly string[]> => {
      const idle = sql<boolean>`not exists (select 1 from streams as s where s.id = ${sql.lit("thread:")} || thread
      and s.lease_until > ${sql.raw(dialect.nowMs)})`;
      // A run that waits for the user is not abandoned, and neither are the inputs queued after it, unless it was stopped.
      const isOpen = sql<boolean>`(waiting <> ${sql.lit(runWaiting.forUser)} or stop = 1)`;
      const isFree = sql<boolean>`not exists (select 1 from runs as r where r.thread = inputs.thread and r.ended = 0
        and r.waiting = ${sql.lit(runWaiting.forUser)})`;
      // A suspended account keeps its unfinished runs and queued inputs until the suspension ends.
      const isActive = (
        table: "runs" | "inputs",
        user: "asker" | "author",
      ) => sql<boolean>`not exists (select 1 from threads as t
        inner join accounts as a on a.id = coalesce(${sql.ref(`${table}.${user}`)}, t.owner) where t.id = ${sql.ref(`${table}.thread`)} and a.state = ${sql.lit("suspended")})`;
      const alive = db
        .selectFrom("runs")
        .select("thread")
        .where("ended", "=", sql.lit(0))
        .where(isOpen)
        .where(isActive("runs", "asker"))
        .where(idle);
      const waiting = db
        .selectFrom("inputs")
        .select("thread")
        .where("state", "=", sql.lit("queued"))
        .where(isFree)
        .where(isActive("inputs", "author"))
        .where(idle);
      const rows = await alive.union(waiting).limit(limit).execute();
      return rows.map((row) => row.thread);
    },

    meta: async (key: string): Promise<string | undefined> => {
      const [row] = await ask("meta", [key], ([key]) => db.selectFrom("meta").select("value").where("key", "=", key));
      return row?.value;
    },
  };
};

/** In order of seq. Rows in both lists are identical. */
function merge(stored: readonly EventRow[], live: readonly EventRow[], limit: number): readonly EventRow[] {
  if (live.length === 0) return stored;
  const bySeq = new Map([...live, ...stored].map((row) => [row.seq, row]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq).slice(0, limit);
}
