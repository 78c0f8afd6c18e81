import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";

/** All data of one user, in pages by key, for export and deletion. */
export const readExport = (db: Kysely<Tables>) => ({
  countOwned: async (table: "threads" | "projects", owner: string): Promise<number> => {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .where("owner", "=", owner)
      .executeTakeFirst();
    return Number(row?.n ?? 0);
  },

  /** Keys in `meta` with this prefix. */
  metaKeys: async (start: string): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom("meta")
      .select("key")
      .where("key", ">=", start)
      .where("key", "<", `${start}\uffff`)
      .execute();
    return rows.map(({ key }) => key);
  },

  threadsAfter: (owner: string, after: string, limit: number): Promise<readonly RowOf<"threads">[]> =>
    db
      .selectFrom("threads")
      .selectAll()
      .where("owner", "=", owner)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),

  projectsAfter: (owner: string, after: string, limit: number): Promise<readonly RowOf<"projects">[]> =>
    db
      .selectFrom("projects")
      .selectAll()
      .where("owner", "=", owner)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),

  branchesOf: (thread: string): Promise<readonly RowOf<"branches">[]> =>
    db.selectFrom("branches").selectAll().where("thread", "=", thread).orderBy("id").execute(),

  /** Messages of all branches, by id. */
  messagesAfter: (thread: string, after: string, limit: number): Promise<readonly RowOf<"messages">[]> =>
    db
      .selectFrom("messages")
      .selectAll()
      .where("thread", "=", thread)
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute(),

  artifactsAfter: (thread: string, ref: number, limit: number): Promise<readonly RowOf<"artifacts">[]> =>
    db
      .selectFrom("artifacts")
      .selectAll()
      .where("thread", "=", thread)
      .where("ref", ">", ref)
      .orderBy("ref")
      .limit(limit)
      .execute(),

  /** Entities of a project that are not deleted. */
  entitiesAfter: (project: string, after: string, limit: number): Promise<readonly RowOf<"entities">[]> =>
    db
      .selectFrom("entities")
      .selectAll()
      .where("project", "=", project)
      .where("id", ">", after)
      .where("deleted", "=", 0)
      .orderBy("id")
      .limit(limit)
      .execute(),

  edgesOfProject: (project: string): Promise<readonly RowOf<"edges">[]> =>
    db
      .selectFrom("edges")
      .selectAll()
      .where("project", "=", project)
      .where("hidden", "=", 0)
      .orderBy("source")
      .orderBy("relation")
      .orderBy("target")
      .execute(),

  /** Current files with their content. */
  fileTextsAfter: (project: string, after: string, limit: number) =>
    db
      .selectFrom("files as f")
      .innerJoin("blobs as b", (join) => join.onRef("b.project", "=", "f.project").onRef("b.hash", "=", "f.hash"))
      .select(["f.path", "f.bytes", "f.updated_at", "b.encoding", "b.body"])
      .where("f.project", "=", project)
      .where("f.path", ">", after)
      .orderBy("f.path")
      .limit(limit)
      .execute(),
});
