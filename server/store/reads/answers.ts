import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";

export const readAnswers = (db: Kysely<Tables>) => ({
  input: (thread: string, id: string): Promise<RowOf<"inputs"> | undefined> =>
    db.selectFrom("inputs").selectAll().where("thread", "=", thread).where("id", "=", id).executeTakeFirst(),

  /** The inbox, oldest first. */
  queued: (thread: string): Promise<readonly RowOf<"inputs">[]> =>
    db
      .selectFrom("inputs")
      .selectAll()
      .where("thread", "=", thread)
      .where("state", "=", sql.lit("queued"))
      .orderBy("seq")
      .execute(),

  liveRun: (thread: string): Promise<RowOf<"runs"> | undefined> =>
    db.selectFrom("runs").selectAll().where("thread", "=", thread).where("ended", "=", sql.lit(0)).executeTakeFirst(),

  run: (id: string): Promise<RowOf<"runs"> | undefined> =>
    db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst(),

  runs: (thread: string, limit: number): Promise<readonly RowOf<"runs">[]> =>
    db
      .selectFrom("runs")
      .selectAll()
      .where("thread", "=", thread)
      .orderBy("started_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute(),

  calls: (thread: string, run: string): Promise<readonly RowOf<"calls">[]> =>
    db
      .selectFrom("calls")
      .selectAll()
      .where("thread", "=", thread)
      .where("run", "=", run)
      .orderBy("started_at")
      .orderBy("id")
      .execute(),

  receipt: (id: string): Promise<RowOf<"receipts"> | undefined> =>
    db.selectFrom("receipts").selectAll().where("id", "=", id).executeTakeFirst(),
});
