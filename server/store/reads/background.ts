import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import { ownerIsActive } from "./accounts.ts";
import type { Segment } from "./paths.ts";
import { createAskEach, toCompilableWith, toTexts, type Ask } from "./cached-queries.ts";

const open = sql.lit<"waiting" | "running">;

type JobCount = {
  readonly kind: string;
  readonly waiting: number;
  readonly running: number;
  readonly dueAt: number | null;
};

/** Background jobs and summaries. */
export const readBackground = (db: Kysely<Tables>, ask: Ask) => ({
  job: (id: string): Promise<RowOf<"jobs"> | undefined> =>
    db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst(),

  /** Jobs of these kinds that have not ended, by due time, without those of suspended accounts, which wait. */
  openJobs: (kinds: readonly string[], limit: number): Promise<readonly RowOf<"jobs">[]> =>
    ask(`openJobs ${kinds.length}`, [limit, ...kinds], ([limit, ...kinds]) =>
      db
        .selectFrom("jobs")
        .selectAll()
        .where("state", "in", [open("waiting"), open("running")])
        .where("kind", "in", kinds)
        .where(ownerIsActive("jobs"))
        .orderBy("not_before")
        .orderBy("id")
        .limit(limit),
    ),

  /** Open jobs by kind. `dueAt`: since when the oldest waiting job is due; null if none is. */
  jobQueue: async (now: number): Promise<readonly JobCount[]> => {
    const count = (state: "waiting" | "running") =>
      sql<number>`cast(coalesce(sum(case when state = ${sql.lit(state)} then 1 else 0 end), 0) as bigint)`;
    const due = sql<
      number | null
    >`min(case when state = ${sql.lit("waiting")} and not_before <= ${now} then not_before end)`;
    const rows = await db
      .selectFrom("jobs")
      .select(["kind", count("waiting").as("waiting"), count("running").as("running"), due.as("dueAt")])
      .where("state", "in", [open("waiting"), open("running")])
      .groupBy("kind")
      .orderBy("kind")
      .execute();
    return rows.map(({ kind, waiting, running, dueAt }) => ({
      kind,
      ...{ waiting: Number(waiting), running: Number(running) },
      dueAt: dueAt === null ? null : Number(dueAt),
    }));
  },

  summary: (id: string): Promise<RowOf<"summaries"> | undefined> =>
    db.selectFrom("summaries").selectAll().where("id", "=", id).executeTakeFirst(),

  /** All summaries that end in these segments of a path, deepest first. */
  summaries: async (
    thread: string,
    segments: readonly Segment[],
    limit: number,
  ): Promise<readonly RowOf<"summaries">[]> => {
    const found: RowOf<"summaries">[] = [];
    for (const { branch, from, to } of segments) {
      if (found.length >= limit) break;
      const rows = await db
        .selectFrom("summaries")
        .selectAll()
        .where("thread", "=", thread)
        .where("branch", "=", branch)
        .where("to_depth", ">", from)
        .where("to_depth", "<=", to)
        .orderBy("to_depth", "desc")
        .limit(limit - found.length)
        .execute();
      found.push(...rows);
    }
    return found;
  },

  summariesById: (ids: readonly string[]): Promise<readonly RowOf<"summaries">[]> =>
    ids.length ? db.selectFrom("summaries").selectAll().where("id", "in", ids).execute() : Promise.resolve([]),

  /**
   * Summaries that end in these segments of a path, so that everything they cover is on it. Without those merged into another
   * one that ends in the same segment.
   */
  summariesOn: async (thread: string, segments: readonly Segment[]): Promise<readonly RowOf<"summaries">[]> => {
    const found: RowOf<"summaries">[] = [];
    for (const { branch, from, to } of segments) {
      const values = [thread, branch, from, to] as const;
      const within = db
        .selectFrom("summaries")
        .selectAll()
        .where("thread", "=", thread)
        .where("branch", "=", branch)
        .where("to_depth", ">", from)
        .where("to_depth", "<=", to);
      const standing = ask("summariesOn", values, ([thread, branch, from, to]) =>
        db
          .selectFrom("summaries")
          .selectAll()
          .where("thread", "=", thread)
          .where("branch", "=", branch)
          .where("to_depth", ">", from)
          .where("to_depth", "<=", to)
          .where("merged_into", "is", null),
      );
      // Summaries merged into ones that end elsewhere: few, and none in a thread without forks.
      const merged = db.selectFrom("summaries").select("id").where("level", ">", 0);
      const elsewhere = ask("summariesElsewhere", [thread, branch, to], ([thread, branch, to]) =>
        merged
          .where("thread", "=", thread)
          .where("branch", "=", branch)
          .where("to_depth", ">", to)
          .unionAll(merged.where("thread", "=", thread).where("branch", "<", branch))
          .unionAll(merged.where("thread", "=", thread).where("branch", ">", branch)),
      );
      const [rows, others] = await Promise.all([standing, elsewhere]);
      found.push(...rows);
      const ids = others.map(({ id }) => id);
      if (ids.length > 0) found.push(...(await within.where("merged_into", "in", ids).execute()));
    }
    return found;
  },

  /** Manual edits of a summary, newest first. */
  summaryChanges: (thread: string, summary: string): Promise<readonly RowOf<"summary_changes">[]> =>
    db
      .selectFrom("summary_changes")
      .selectAll()
      .where("thread", "=", thread)
      .where("summary", "=", summary)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute(),

  /** Summaries among these that a user edited. */
  editedSummaries: async (thread: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if (ids.length === 0) return new Set();
    const query = db.selectFrom("summary_changes").select("summary").distinct().where("thread", "=", thread);
    const rows = await query.where("summary", "in", ids).where("undone", "=", 0).execute();
    return new Set(rows.map(({ summary }) => summary));
  },

  /** Tokens of the text, tool calls and files of each message, as counted when its parts were written. */
  tokensOf: async (thread: string, messages: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>();
    const all = [...new Set(messages)];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = all.slice(at, at + AT_ONCE);
      const rows = await createAskEach(ask)("tokensOf", some, [thread], (list, [thread]) =>
        toCompilableWith(db)(sql<{ message: string; tokens: number }>`
          select p.message, sum(p.tokens) as tokens from ${toTexts(list)} as w
            left join parts p on p.thread = ${thread} and p.message = w.column1 and p.kind in ('text', 'tool', 'file')
            group by p.message`),
      );
      for (const { message, tokens } of rows) found.set(message, Number(tokens));
    }
    return found;
  },

  /** Model calls of a job, in order. */
  callsOfJob: (thread: string, job: string): Promise<readonly RowOf<"calls">[]> =>
    db
      .selectFrom("calls")
      .selectAll()
      .where("thread", "=", thread)
      .where("run", "is", null)
      .where("job", "=", job)
      .orderBy("started_at")
      .orderBy("id")
      .execute(),
});

const AT_ONCE = 512;
