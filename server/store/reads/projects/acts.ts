import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../cached-queries.ts";

type Window = { readonly project: string; readonly before: number; readonly limit: number };
type Target = { readonly what: RowOf<"changes">["what"]; readonly target: string };

/** Larger than the number of any change. */
const MOST_N = 2_147_483_647;

/** Acts of projects and their changes. */
export const readActs = (db: Kysely<Tables>, ask: Ask) => ({
  act: async (project: string, id: string): Promise<RowOf<"acts"> | undefined> => {
    const [row] = await ask("act", [project, id], ([project, id]) =>
      db.selectFrom("acts").selectAll().where("project", "=", project).where("id", "=", id),
    );
    return row;
  },

  actsById: async (project: string, ids: readonly string[]): Promise<readonly RowOf<"acts">[]> =>
    ids.length === 0
      ? []
      : db.selectFrom("acts").selectAll().where("project", "=", project).where("id", "in", ids).execute(),

  /** Newest first. */
  acts: ({ project, before, limit }: Window): Promise<readonly RowOf<"acts">[]> =>
    ask("acts", [project, before, limit], ([project, before, limit]) =>
      db
        .selectFrom("acts")
        .selectAll()
        .where("project", "=", project)
        .where("seq", "<", before)
        .orderBy("seq", "desc")
        .limit(limit),
    ),

  /** Acts that changed one item, newest first. */
  actsOn: async ({ project, before, limit }: Window, { what, target }: Target): Promise<readonly RowOf<"acts">[]> => {
    const named = await ask(
      "acts on",
      [project, what, target, before, limit],
      ([project, what, target, before, limit]) =>
        db
          .selectFrom("changes")
          .select("act")
          .where("project", "=", project)
          .where("what", "=", what)
          .where("target", "=", target)
          .where("seq", "<", before)
          .orderBy("seq", "desc")
          .limit(limit),
    );
    if (named.length === 0) return [];
    const ids = named.map(({ act }) => act);
    const rows = await db
      .selectFrom("acts")
      .selectAll()
      .where("project", "=", project)
      .where("id", "in", ids)
      .execute();
    return rows.toSorted((a, b) => b.seq - a.seq);
  },

  /** Newest first. */
  actsOfRun: ({ project, before, limit }: Window, run: string): Promise<readonly RowOf<"acts">[]> =>
    ask("acts of run", [run, project, before, limit], ([run, project, before, limit]) =>
      db
        .selectFrom("acts")
        .selectAll()
        .where("run", "=", run)
        .where("project", "=", project)
        .where("seq", "<", before)
        .orderBy("seq", "desc")
        .limit(limit),
    ),

  /** In the order they were made, limited per act. */
  changesOfActs: async (
    project: string,
    acts: readonly string[],
    most = MOST_N,
  ): Promise<readonly RowOf<"changes">[]> =>
    acts.length === 0
      ? []
      : db
          .selectFrom("changes")
          .selectAll()
          .where("project", "=", project)
          .where("act", "in", acts)
          .where("n", "<", most)
          .orderBy("act")
          .orderBy("n")
          .execute(),
});
