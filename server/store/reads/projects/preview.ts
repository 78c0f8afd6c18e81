import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";

export type LogKind = RowOf<"preview_logs">["kind"];

/** Logs of a workspace's preview. */
export const readPreview = (db: Kysely<Tables>) => ({
  /** Newest first. */
  previewLogs: (project: string, kind: LogKind, limit: number): Promise<readonly RowOf<"preview_logs">[]> =>
    db
      .selectFrom("preview_logs")
      .selectAll()
      .where("project", "=", project)
      .where("kind", "=", kind)
      .orderBy("at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute(),

  /** Ids of logs older than the newest `keep`. */
  previewLogsPast: async (project: string, kind: LogKind, keep: number): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom("preview_logs")
      .select("id")
      .where("project", "=", project)
      .where("kind", "=", kind)
      .orderBy("at", "desc")
      .orderBy("id", "desc")
      .limit(1000)
      .offset(keep)
      .execute();
    return rows.map(({ id }) => id);
  },

  /** Seqs of acts after this seq that changed files, newest first. */
  fileActsAfter: async (project: string, seq: number, limit: number): Promise<readonly number[]> => {
    const rows = await db
      .selectFrom("acts as a")
      .select("a.seq")
      .where("a.project", "=", project)
      .where("a.seq", ">", seq)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("changes as c")
            .select("c.n")
            .whereRef("c.project", "=", "a.project")
            .whereRef("c.act", "=", "a.id")
            .where("c.what", "=", "file"),
        ),
      )
      .orderBy("a.seq", "desc")
      .limit(limit)
      .execute();
    return rows.map((row) => row.seq);
  },
});
