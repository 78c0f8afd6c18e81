import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import { decompress } from "../compress.ts";
import type { Ask } from "./cached-queries.ts";
import type { Dialect } from "./reads.ts";

export const readRuns = (db: Kysely<Tables>, { listParameter }: Pick<Dialect, "listParameter">, ask: Ask) => ({
  input: async (thread: string, id: string): Promise<RowOf<"inputs"> | undefined> => {
    const [row] = await ask("input", [thread, id], ([thread, id]) =>
      db.selectFrom("inputs").selectAll().where("thread", "=", thread).where("id", "=", id),
    );
    return row;
  },

  /** Queued inputs, oldest first. */
  queued: (thread: string): Promise<readonly RowOf<"inputs">[]> =>
    ask("queued", [thread], ([thread]) =>
      db
        .selectFrom("inputs")
        .selectAll()
        .where("thread", "=", thread)
        .where("state", "=", sql.lit("queued"))
        .orderBy("seq"),
    ),

  liveRun: async (thread: string): Promise<RowOf<"runs"> | undefined> => {
    const [row] = await ask("liveRun", [thread], ([thread]) =>
      db.selectFrom("runs").selectAll().where("thread", "=", thread).where("ended", "=", sql.lit(0)),
    );
    return row;
  },

  run: async (id: string): Promise<RowOf<"runs"> | undefined> => {
    const [row] = await ask("run", [id], ([id]) => db.selectFrom("runs").selectAll().where("id", "=", id));
    return row;
  },

  /** Runs among these that the user asked to stop and that have not ended. */
  stoppedRuns: async (ids: readonly string[]): Promise<readonly string[]> => {
    if (ids.length === 0) return [];
    const rows = await ask("stoppedRuns", [listParameter.bind(ids)], ([list]) =>
      db
        .selectFrom("runs")
        .select("id")
        .where(listParameter.holds(list, "id"))
        .where("stop", "=", sql.lit(1))
        .where("ended", "=", sql.lit(0)),
    );
    return rows.map(({ id }) => id);
  },

  /** Runs among these that ended early. */
  runsEndedEarly: async (ids: readonly string[]): Promise<readonly RowOf<"runs">[]> =>
    ids.length
      ? ask(`runsEndedEarly ${ids.length}`, ids, (ids) =>
          db
            .selectFrom("runs")
            .selectAll()
            .where("id", "in", ids)
            .where("ended", "=", sql.lit(1))
            // Exact, since quotes within JSON strings are escaped.
            .where("body", "not like", sql.lit('%"outcome":"done"%')),
        )
      : [],

  runs: (thread: string, limit: number): Promise<readonly RowOf<"runs">[]> =>
    ask("runs", [thread, limit], ([thread, limit]) =>
      db
        .selectFrom("runs")
        .selectAll()
        .where("thread", "=", thread)
        .orderBy("started_at", "desc")
        .orderBy("id", "desc")
        .limit(limit),
    ),

  calls: (thread: string, run: string): Promise<readonly RowOf<"calls">[]> =>
    db
      .selectFrom("calls")
      .selectAll()
      .where("thread", "=", thread)
      .where("run", "=", run)
      .orderBy("started_at")
      .orderBy("id")
      .execute(),

  receipt: async (id: string): Promise<RowOf<"receipts"> | undefined> => {
    const row = await db.selectFrom("receipts").selectAll().where("id", "=", id).executeTakeFirst();
    return row && decompress(row);
  },
});
