import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import { createAskEach, toCompilableWith, toTexts, type Ask } from "./cached-queries.ts";

/** A segment of a path: the depths of `branch` after `from`, up to and including `to`. */
export type Segment = {
  readonly branch: string;
  readonly parent: string | null;
  readonly from: number;
  readonly to: number;
};

/** A message at a fork: it follows depth `after` of `parent`. */
type Sibling = { readonly parent: string; readonly after: number; readonly id: string };

type PathEnd = { readonly thread: string; readonly branch: string; readonly upTo: number };

export const readPaths = (db: Kysely<Tables>, ask: Ask) => ({
  /**
   * The end of a path, deepest segment first, until `count` messages are covered. Cost is O(returned segments): only the forks
   * within the window are followed.
   */
  segments: async ({ thread, branch, upTo }: PathEnd, count: number): Promise<readonly Segment[]> => {
    const rows = await ask("segments", [thread, branch, upTo, count], ([thread, branch, upTo, count]) => {
      const end = sql<number>`cast(${upTo} as bigint)`;
      const chain = sql<{ id: string; parent: string | null; low: number; high: number }>`
      with recursive chain (id, parent, low, high, covered) as (
        select id, parent, fork_depth, case when tip < ${end} then tip else ${end} end, cast(0 as bigint) from branches
          where thread = ${thread} and id = ${branch}
        union all
        select b.id, b.parent, b.fork_depth, case when c.low < c.high then c.low else c.high end,
               c.covered + (case when c.high > c.low then c.high - c.low else 0 end)
          from branches b join chain c on b.id = c.parent
          where b.thread = ${thread} and c.low > 0
            and c.covered + (case when c.high > c.low then c.high - c.low else 0 end) < cast(${count} as bigint)
      )
      select id, parent, low, high from chain`;
      return { compile: () => chain.compile(db) };
    });
    return rows
      .filter((row) => row.high > row.low)
      .map((row) => ({ branch: row.id, parent: row.parent, from: row.low, to: row.high }));
  },

  /** The newest `count` messages of the path, in order of depth. */
  pathEnd: async (
    thread: string,
    segments: readonly Segment[],
    count: number,
  ): Promise<readonly RowOf<"messages">[]> => {
    const found: RowOf<"messages">[] = [];
    for (const { branch, from, to } of segments) {
      if (found.length >= count) break;
      const values = [thread, branch, from, to, count - found.length] as const;
      const rows = await ask("pathEnd", values, ([thread, branch, from, to, limit]) =>
        db
          .selectFrom("messages")
          .selectAll()
          .where("thread", "=", thread)
          .where("branch", "=", branch)
          .where("depth", ">", from)
          .where("depth", "<=", to)
          .orderBy("depth", "desc")
          .limit(limit),
      );
      found.push(...rows);
    }
    return found.reverse();
  },

  partsOf: async (thread: string, messages: readonly string[]): Promise<readonly RowOf<"parts">[]> =>
    createAskEach(ask)("partsOf", [...new Set(messages)], [thread], (list, [thread]) =>
      toCompilableWith(db)(sql<RowOf<"parts">>`
        select p.thread, p.message, p.n, p.v, p.kind, p.tokens, p.body from ${toTexts(list)} as w
          left join parts p on p.thread = ${thread} and p.message = w.column1 order by p.message, p.n`),
    ),

  message: async (thread: string, id: string): Promise<RowOf<"messages"> | undefined> => {
    const [row] = await ask("message", [thread, id], ([thread, id]) =>
      db.selectFrom("messages").selectAll().where("thread", "=", thread).where("id", "=", id),
    );
    return row;
  },

  branch: async (thread: string, id: string): Promise<RowOf<"branches"> | undefined> => {
    const [row] = await ask("branch", [thread, id], ([thread, id]) =>
      db.selectFrom("branches").selectAll().where("thread", "=", thread).where("id", "=", id),
    );
    return row;
  },

  /** Branches that fork from this one at any depth, most recently used first. */
  forksOf: (thread: string, parent: string): Promise<readonly RowOf<"branches">[]> =>
    db
      .selectFrom("branches")
      .selectAll()
      .where("thread", "=", thread)
      .where("id", "in", (of) =>
        of.selectFrom("branches").select("id").where("thread", "=", thread).where("parent", "=", parent),
      )
      .orderBy("used_at", "desc")
      .execute(),

  /** Variants after the depths `from` to `to` of these branches, oldest first. */
  siblings: async (
    thread: string,
    { parents, from, to }: { readonly parents: readonly string[]; readonly from: number; readonly to: number },
  ): Promise<readonly Sibling[]> => {
    if (parents.length === 0) return [];
    const values = [thread, from, to, ...parents] as const;
    const rows = await ask(`siblings ${parents.length}`, values, ([thread, from, to, ...parents]) => {
      const at = (branch: "id" | "parent") =>
        db
          .selectFrom("branches as b")
          .innerJoin("messages as m", (join) =>
            join
              .onRef("m.thread", "=", "b.thread")
              .onRef("m.branch", "=", `b.${branch}`)
              .on("m.depth", "=", sql<number>`b.fork_depth + 1`),
          )
          .select(["b.parent", "b.fork_depth as after", "m.id", "m.created_at as createdAt"])
          .where("b.thread", "=", thread)
          .where("b.parent", "in", parents)
          .where("b.fork_depth", ">=", from)
          .where("b.fork_depth", "<=", to);
      return at("id").union(at("parent"));
    });
    rows.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    return rows.map((row) => ({ parent: row.parent ?? "", after: row.after, id: row.id }));
  },
});
