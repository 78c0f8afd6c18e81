import { sql, type Kysely } from "kysely";
import type { projectTables, RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../cached-queries.ts";
import { readActs } from "./acts.ts";
import { readEach } from "./each.ts";
import { readEdges } from "./edges.ts";
import { readEntities } from "./entities.ts";
import { readLists, type ListDialect } from "./lists.ts";

/** Projects and their contents. */
export const readProjects = (db: Kysely<Tables>, dialect: ListDialect, ask: Ask) => ({
  project: async (id: string): Promise<RowOf<"projects"> | undefined> => {
    const [row] = await ask("project", [id], ([id]) => db.selectFrom("projects").selectAll().where("id", "=", id));
    return row;
  },

  /** Most recently changed first. */
  projectsOf: (owner: string, archived: boolean, limit: number): Promise<readonly RowOf<"projects">[]> =>
    ask("projects of", [owner, archived ? 1 : 0, limit], ([owner, archived, limit]) =>
      db
        .selectFrom("projects")
        .selectAll()
        .where("owner", "=", owner)
        .where("archived", "=", archived)
        .orderBy("updated_at", "desc")
        .orderBy("id", "desc")
        .limit(limit),
    ),

  threadsOfProject: (project: string): Promise<readonly RowOf<"threads">[]> =>
    db.selectFrom("threads").selectAll().where("project", "=", project).execute(),

  /** Number of a project's rows in a table, to verify a deletion. */
  countOfProject: async (table: (typeof projectTables)[number], project: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(table)} where project = ${project}`.execute(db);
    return rows[0]?.n ?? 0;
  },

  countFiles: async (project: string): Promise<number> => {
    const [row] = await ask("count files", [project], ([project]) =>
      db
        .selectFrom("files")
        .select(({ fn }) => fn.countAll<number>().as("n"))
        .where("project", "=", project),
    );
    return row?.n ?? 0;
  },

  filesByPath: (project: string, paths: readonly string[]): Promise<readonly RowOf<"files">[]> =>
    readEach(
      db,
      paths,
      "path",
      (w) => sql<RowOf<"files">>`
      select f.* from ${w} left join files f on f.project = ${project} and f.path = w.column1`,
    ),

  ...readEntities(db, ask),
  ...readLists(db, dialect),
  ...readEdges(db, ask),
  ...readActs(db, ask),
});
