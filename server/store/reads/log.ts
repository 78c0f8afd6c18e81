import { sql, type Kysely } from "kysely";
import type { StreamName } from "../../../protocol/ids.ts";
import { withPart } from "../contract.ts";
import type { RowOf, Tables } from "../schema.ts";
import type { Dialect } from "./reads.ts";
import type { Ask } from "./shapes.ts";

export type EventRow = { readonly seq: number; readonly body: string };
export type LeaseRow = { readonly epoch: number; readonly head: number; readonly free: boolean };

/** Both databases bound the parameters of a statement. */
const AT_ONCE = 10_000;

export const readLog = (db: Kysely<Tables>, dialect: Dialect, ask: Ask) => ({
  /** Rows after the cursor, in order, settled parts filled in. */
  events: async (stream: StreamName, after: number, limit: number): Promise<readonly EventRow[]> => {
    const threadId = stream.startsWith("thread:") ? stream.slice("thread:".length) : "";
    const rows = await db
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
      .limit(limit)
      .execute();
    return rows.map(({ seq, body, message, partBody }) => ({
      seq,
      body: message === null || partBody === null ? body : withPart(body, partBody),
    }));
  },

  heads: async (streams: readonly StreamName[]): Promise<ReadonlyMap<string, number>> => {
    const heads = new Map<string, number>();
    for (let from = 0; from < streams.length; from += AT_ONCE) {
      const some = streams.slice(from, from + AT_ONCE);
      const rows = await db.selectFrom("streams").select(["id", "head"]).where("id", "in", some).execute();
      for (const row of rows) heads.set(row.id, row.head);
    }
    return heads;
  },

  /** The lease of a stream, judged by the database's clock. */
  lease: async (stream: StreamName): Promise<LeaseRow> => {
    const [row] = await ask("lease", [stream], ([stream]) =>
      db
        .selectFrom("streams")
        .select(["epoch", "head", sql<number>`lease_until <= ${sql.raw(dialect.nowMs)}`.as("free")])
        .where("id", "=", stream),
    );
    return row ? { epoch: row.epoch, head: row.head, free: Boolean(row.free) } : { epoch: 0, head: 0, free: true };
  },

  /** Threads that have something to do and nobody who does it. */
  abandonedThreads: async (limit: number): Promise<readonly string[]> => {
    const idle = sql<boolean>`not exists (select 1 from streams as s where s.id = ${sql.lit("thread:")} || thread
      and s.lease_until > ${sql.raw(dialect.nowMs)})`;
    const alive = db.selectFrom("runs").select("thread").where("ended", "=", sql.lit(0)).where(idle);
    const waiting = db.selectFrom("inputs").select("thread").where("state", "=", sql.lit("queued")).where(idle);
    const rows = await alive.union(waiting).limit(limit).execute();
    return rows.map((row) => row.thread);
  },

  meta: async (key: string): Promise<string | undefined> => {
    const row: Pick<RowOf<"meta">, "value"> | undefined = await db
      .selectFrom("meta")
      .select("value")
      .where("key", "=", key)
      .executeTakeFirst();
    return row?.value;
  },
});
