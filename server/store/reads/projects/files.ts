import { sql, type Compilable, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../cached-queries.ts";

export type FileAtRow = {
  readonly path: string;
  /** JSON of hash, bytes and lines. */
  readonly after: string;
  readonly seq: number;
  readonly updated_at: number;
};

type FileBeforeRow = { readonly before: string | null; readonly run: string | null };

/** Current and former files of a workspace. */
export const readFiles = (db: Kysely<Tables>, ask: Ask) => {
  const toCompilable = <R>(query: RawBuilder<R>): Compilable<R> => ({ compile: () => query.compile(db) });
  return {
    files: (project: string): Promise<readonly RowOf<"files">[]> =>
      ask("files", [project], ([project]) =>
        db.selectFrom("files").selectAll().where("project", "=", project).orderBy("path"),
      ),

    file: async (project: string, path: string): Promise<RowOf<"files"> | undefined> => {
      const [row] = await ask("file", [project, path], ([project, path]) =>
        db.selectFrom("files").selectAll().where("project", "=", project).where("path", "=", path),
      );
      return row;
    },

    /** The last change of each path up to a seq, if it left a file. Iterates over paths, not changes. */
    filesAt: (project: string, seq: number): Promise<readonly FileAtRow[]> =>
      ask("files at", [project, seq], ([project, seq]) =>
        toCompilable(sql<FileAtRow>`
          with recursive paths (path) as (
            select min(target) from changes where project = ${project} and what = 'file'
            union all
            select (select min(c.target) from changes c
              where c.project = ${project} and c.what = 'file' and c.target > paths.path)
            from paths where paths.path is not null)
          select p.path, c.after, c.seq, a.created_at as updated_at
          from paths p
            join changes c on c.project = ${project} and c.what = 'file' and c.target = p.path
              and c.seq = (select max(l.seq) from changes l
                where l.project = ${project} and l.what = 'file' and l.target = p.path and l.seq <= ${seq})
            join acts a on a.project = c.project and a.id = c.act
          where p.path is not null and c.after is not null
          order by p.path`),
      ),

    fileAt: async (project: string, path: string, seq: number): Promise<FileAtRow | undefined> => {
      const [row] = await ask("file at", [project, path, seq], ([project, path, seq]) =>
        toCompilable(sql<Omit<FileAtRow, "after"> & { readonly after: string | null }>`
          select c.target as path, c.after, c.seq, a.created_at as updated_at
          from changes c join acts a on a.project = c.project and a.id = c.act
          where c.project = ${project} and c.what = 'file' and c.target = ${path} and c.seq <= ${seq}
          order by c.seq desc limit 1`),
      );
      return row?.after ? { ...row, after: row.after } : undefined;
    },

    /** A file before each of its last changes, newest first, with the run of each change. Null: it did not exist. */
    fileBefore: (project: string, path: string, limit: number): Promise<readonly FileBeforeRow[]> =>
      ask("file before", [project, path, limit], ([project, path, limit]) =>
        toCompilable(sql<FileBeforeRow>`
          select c.before, a.run
          from changes c join acts a on a.project = c.project and a.id = c.act
          where c.project = ${project} and c.what = 'file' and c.target = ${path}
          order by c.seq desc limit ${limit}`),
      ),

    blob: async (project: string, hash: string): Promise<RowOf<"blobs"> | undefined> => {
      const [row] = await ask("blob", [project, hash], ([project, hash]) =>
        db.selectFrom("blobs").selectAll().where("project", "=", project).where("hash", "=", hash),
      );
      return row;
    },

    blobs: async (project: string, hashes: readonly string[]): Promise<readonly RowOf<"blobs">[]> =>
      hashes.length === 0
        ? []
        : db.selectFrom("blobs").selectAll().where("project", "=", project).where("hash", "in", hashes).execute(),
  };
};

type LogKind = RowOf<"preview_logs">["kind"];

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
