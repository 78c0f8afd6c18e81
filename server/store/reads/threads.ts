import { sql, type Kysely } from "kysely";
import type { RowOf, Tables, ThreadTable } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

export type ThreadCursor = { readonly pinned: number; readonly updatedAt: number; readonly id: string };
type Page = {
  readonly owner: string;
  readonly archived: boolean;
  /** Only threads of this project, which the user must have access to: shared ones, and those of the owner. */
  readonly project?: string | undefined;
  readonly after: ThreadCursor | null;
  readonly limit: number;
};

export const readThreads = (db: Kysely<Tables>, ask: Ask) => ({
  thread: async (id: string): Promise<RowOf<"threads"> | undefined> => {
    const [row] = await ask("thread", [id], ([id]) => db.selectFrom("threads").selectAll().where("id", "=", id));
    return row;
  },

  threadsById: async (ids: readonly string[]): Promise<readonly RowOf<"threads">[]> =>
    ids.length ? db.selectFrom("threads").selectAll().where("id", "in", ids).execute() : [],

  /** Pinned first, then by last change, then by id. */
  threads: ({ owner, archived, project, after, limit }: Page): Promise<readonly RowOf<"threads">[]> => {
    let query = db
      .selectFrom("threads")
      .selectAll()
      .where("archived", "=", archived ? 1 : 0)
      .where("temporary", "=", 0);
    query =
      project === undefined
        ? query.where("owner", "=", owner)
        : query
            .where("project", "=", project)
            .where(({ or, eb }) => or([eb("owner", "=", owner), eb("shared", "=", sql.lit(1))]));
    if (after) {
      query = query.where(sql<boolean>`(pinned, updated_at, id) < (${after.pinned}, ${after.updatedAt}, ${after.id})`);
    }
    return query.orderBy("pinned", "desc").orderBy("updated_at", "desc").orderBy("id", "desc").limit(limit).execute();
  },

  /** Number of a thread's rows in each table, to verify a deletion. */
  countRows: async (tables: readonly ThreadTable[], thread: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const { rows } = await sql<{
        n: number;
      }>`select count(*) as n from ${sql.table(table)} where thread = ${thread}`.execute(db);
      counts[table] = rows[0]?.n ?? 0;
    }
    return counts;
  },
});
