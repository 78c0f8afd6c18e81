import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../shapes.ts";
import { readEach } from "./each.ts";

type EdgeKey = Pick<RowOf<"edges">, "project" | "source" | "relation" | "target">;

const shown = sql<boolean>`hidden = 0`;

/** What the things of a project have to do with each other. Edges of what is deleted are hidden, and found only where it says so. */
export const readEdges = (db: Kysely<Tables>, ask: Ask) => ({
  edge: async ({ project, source, relation, target }: EdgeKey): Promise<RowOf<"edges"> | undefined> => {
    const [row] = await ask("edge", [project, source, relation, target], ([project, source, relation, target]) =>
      db
        .selectFrom("edges")
        .selectAll()
        .where("project", "=", project)
        .where("source", "=", source)
        .where("relation", "=", relation)
        .where("target", "=", target),
    );
    return row;
  },

  /** From these or to them, at most so many of each; one between two of them stands in both. */
  edgesOf: async (project: string, ids: readonly string[], limit: number): Promise<readonly RowOf<"edges">[]> => {
    if (ids.length === 0) return [];
    const of = (end: "source" | "target") =>
      db
        .selectFrom("edges")
        .selectAll()
        .where("project", "=", project)
        .where(end, "in", ids)
        .where(shown)
        .limit(limit)
        .execute();
    return [...(await of("source")), ...(await of("target"))];
  },

  /** Hidden ones, from these or to them. */
  hiddenEdges: async (project: string, ids: readonly string[]): Promise<readonly RowOf<"edges">[]> => {
    if (ids.length === 0) return [];
    const of = (end: "source" | "target") =>
      db
        .selectFrom("edges")
        .selectAll()
        .where("project", "=", project)
        .where(end, "in", ids)
        .where(sql<boolean>`hidden = 1`)
        .execute();
    return [...(await of("source")), ...(await of("target"))];
  },

  /** Those between these. */
  edgesAmong: async (project: string, ids: readonly string[], limit: number): Promise<readonly RowOf<"edges">[]> => {
    const from = await readEach(
      db,
      ids,
      "source",
      (w) => sql<RowOf<"edges">>`
      select e.* from ${w} left join edges e on e.project = ${project} and e.source = w.column1 and e.hidden = 0`,
    );
    const wanted = new Set(ids);
    return from.filter(({ target }) => wanted.has(target)).slice(0, limit);
  },

  countEdges: async (project: string): Promise<number> => {
    const [row] = await ask("count edges", [project], ([project]) =>
      db
        .selectFrom("edges")
        .select(({ fn }) => fn.countAll<number>().as("n"))
        .where("project", "=", project)
        .where(shown),
    );
    return row?.n ?? 0;
  },

  /** The most linked of a project, by how many edges they have. */
  mostLinked: async (
    project: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly n: number }[]> => {
    const { rows } = await sql<{ id: string; n: number }>`
      select id, count(*) as n from (
        select source as id from edges where project = ${project} and hidden = 0
        union all select target as id from edges where project = ${project} and hidden = 0
      ) as ends group by id order by n desc, id limit ${limit}`.execute(db);
    return rows;
  },
});
