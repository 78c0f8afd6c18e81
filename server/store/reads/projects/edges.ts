import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../cached-queries.ts";
import { readEach } from "./each.ts";

type EdgeKey = Pick<RowOf<"edges">, "project" | "source" | "relation" | "target">;

const shown = sql<boolean>`hidden = 0`;

/** Relations between entities of a project. Edges of deleted entities are hidden and returned only where noted. */
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

  /** Edges from or to these entities, limited per entity. An edge between two of them is returned for both. */
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

  /** Hidden edges from or to these entities. */
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

  /** Edges between these entities. */
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

  /** Entities of a project with the most edges. */
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
