import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Dialect, SearchQuery } from "./reads.ts";

export type ThreadCursor = { readonly pinned: number; readonly updatedAt: number; readonly id: string };
type Page = {
  readonly owner: string;
  readonly archived: boolean;
  readonly after: ThreadCursor | null;
  readonly limit: number;
};

export const readThreads = (db: Kysely<Tables>, dialect: Dialect) => ({
  thread: (id: string): Promise<RowOf<"threads"> | undefined> =>
    db.selectFrom("threads").selectAll().where("id", "=", id).executeTakeFirst(),

  threadsById: async (ids: readonly string[]): Promise<readonly RowOf<"threads">[]> =>
    ids.length ? db.selectFrom("threads").selectAll().where("id", "in", ids).execute() : [],

  /** Pinned first, then by last change; stable under equal times. */
  threads: ({ owner, archived, after, limit }: Page): Promise<readonly RowOf<"threads">[]> => {
    let query = db
      .selectFrom("threads")
      .selectAll()
      .where("owner", "=", owner)
      .where("archived", "=", archived ? 1 : 0);
    if (after) {
      query = query.where(sql<boolean>`(pinned, updated_at, id) < (${after.pinned}, ${after.updatedAt}, ${after.id})`);
    }
    return query.orderBy("pinned", "desc").orderBy("updated_at", "desc").orderBy("id", "desc").limit(limit).execute();
  },

  search: (query: SearchQuery) => dialect.search(db, query),

  isMember: async (object: string, person: string): Promise<boolean> => {
    const row = await db
      .selectFrom("members")
      .select("role")
      .where("object", "=", object)
      .where("person", "=", person)
      .executeTakeFirst();
    return row !== undefined;
  },
});
