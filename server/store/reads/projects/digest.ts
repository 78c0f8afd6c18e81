import { sql, type Compilable, type Kysely, type RawBuilder } from "kysely";
import { aimKinds, kinds } from "../../../../protocol/project/kinds.ts";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../cached-queries.ts";

/** An entity without its body. */
export type OutlineRow = Omit<RowOf<"entities">, "project" | "body" | "terms" | "deleted" | "created_at">;
export type CountRow = { readonly kind: string; readonly ended: number; readonly n: number; readonly overdue: number };
export type RelationRow = { readonly relation: string; readonly n: number };
export type HubRow = { readonly id: string; readonly n: number };
export type LinkRow = Pick<RowOf<"edges">, "source" | "relation" | "target">;
export type ActRow = Pick<RowOf<"acts">, "seq" | "author" | "thread" | "text" | "undone" | "created_at">;
/** A change with its act. Long values are not read: then `before` and `after` are null although `had` and `has` are set. */
export type DigestChangeRow = Pick<ActRow, "seq" | "author" | "thread" | "text" | "created_at"> &
  Pick<RowOf<"changes">, "act" | "n" | "what" | "target" | "title" | "before" | "after"> & {
    readonly kind: string | null;
    readonly had: number;
    readonly has: number;
  };
export type TouchedRow = Pick<RowOf<"changes">, "what" | "target"> &
  Pick<RowOf<"acts">, "undoes"> & { readonly had: number; readonly has: number };
export type FileRow = Pick<RowOf<"files">, "path" | "bytes" | "lines">;
export type ProjectRow = Pick<RowOf<"projects">, "id" | "name" | "description" | "untrusted" | "seq" | "updated_at">;

/** `from` and `to` limit the events in the digest. */
export type DigestTimes = { readonly now: number; readonly from: number; readonly to: number };
type DigestCounts = { readonly newest: number; readonly dated: number };

const outline = sql.raw(
  "e.id, e.kind, e.title, e.state, e.ended, e.priority, e.starts_at, e.ends_at, e.parent, e.position, e.version, e.updated_at",
);
/** Longer `before` and `after` values are not read. */
const LONGEST_CHANGE = 4_000;
/** Kinds that are listed for every project, even when the digest does not list everything. */
const alwaysListed = [...aimKinds, "document"];

/** Rows for project digests: for each kind the newest, overdue and upcoming items, each limited. */
export const readDigests = (db: Kysely<Tables>, ask: Ask) => ({
  ...readEntities(db, ask),
  ...readLinks(db, ask),
  ...readChanges(db, ask),
});

const toCompilableOf =
  (db: Kysely<Tables>) =>
  <R>(query: RawBuilder<R>): Compilable<R> => ({ compile: () => query.compile(db) });

const readEntities = (db: Kysely<Tables>, ask: Ask) => {
  const toCompilable = toCompilableOf(db);
  return {
    /** Most recently changed first. */
    digestProjects: (owner: string, limit: number): Promise<readonly ProjectRow[]> =>
      ask("digestProjects", [owner, limit], ([owner, limit]) =>
        toCompilable(sql<ProjectRow>`
          select id, name, description, untrusted, seq, updated_at from projects where owner = ${owner} and archived = 0
            order by updated_at desc, id desc limit ${limit}`),
      ),

    digestProjectCount: async (owner: string): Promise<number> => {
      const [row] = await ask("digestProjectCount", [owner], ([owner]) =>
        toCompilable(sql<{ n: number }>`
          select count(*) as n from projects where owner = ${owner} and archived = 0`),
      );
      return Number(row?.n ?? 0);
    },

    /** The same row may be returned more than once. */
    digestOutline: (
      project: string,
      which: "all" | "aims",
      { now, from, to }: DigestTimes,
      { newest, dated }: DigestCounts,
    ): Promise<readonly OutlineRow[]> => {
      const values = [project, now, from, to, newest, dated] as const;
      return ask(`digestOutline ${which}`, values, ([project, now, from, to, newest, dated]) => {
        const arm = (kind: string, where: RawBuilder<unknown>, order: string, limit: number) => sql`
          select * from (select ${outline} from entities e
            where e.project = ${project} and e.kind = ${sql.lit(kind)} and e.deleted = 0 and ${where}
            order by ${sql.raw(order)} limit ${limit}) as ends`;
        const arms = kinds
          .filter(({ name }) => which === "all" || alwaysListed.includes(name))
          .flatMap(({ name, ends }) => [
            arm(name, sql`e.updated_at > 0`, "e.updated_at desc, e.id desc", newest),
            ...(ends === "due"
              ? [
                  arm(name, sql`e.ended = 0 and e.ends_at < ${now}`, "e.ends_at desc, e.id desc", dated),
                  arm(name, sql`e.ended = 0 and e.ends_at >= ${now}`, "e.ends_at, e.id", dated),
                ]
              : []),
            ...(name === "event"
              ? [
                  arm(name, sql`e.starts_at >= ${from} and e.starts_at <= ${to}`, "e.starts_at, e.id", dated),
                  arm(name, sql`e.ended = 0 and e.ends_at >= ${from}`, "e.ends_at, e.id", dated),
                ]
              : []),
          ]);
        return toCompilable(sql<OutlineRow>`${sql.join(arms, sql` union all `)}`);
      });
    },

    digestCounts: async (project: string, now: number): Promise<readonly CountRow[]> => {
      const rows = await ask("digestCounts", [project, now], ([project, now]) =>
        toCompilable(sql<CountRow>`
          select kind, ended, count(*) as n, sum(case when ended = 0 and ends_at < ${now} then 1 else 0 end) as overdue
            from entities where project = ${project} and deleted = 0 group by kind, ended order by kind, ended`),
      );
      return rows.map(({ n, overdue, ...row }) => ({ ...row, n: Number(n), overdue: Number(overdue) }));
    },

    /** Without deleted ones. */
    digestEntities: async (project: string, ids: readonly string[]): Promise<readonly OutlineRow[]> => {
      if (ids.length === 0) return [];
      const list = sql.join(ids.map((id) => sql`(cast(${id} as text))`));
      const { rows } = await sql<OutlineRow & { readonly deleted: number }>`
        select ${outline}, e.deleted from (values ${list}) as w
          left join entities e on e.project = ${project} and e.id = w.column1`.execute(db);
      return rows.filter(({ id, deleted }) => id !== null && deleted === 0);
    },
  };
};

const readLinks = (db: Kysely<Tables>, ask: Ask) => {
  const toCompilable = toCompilableOf(db);
  return {
    digestRelations: async (project: string): Promise<readonly RelationRow[]> => {
      const rows = await ask("digestRelations", [project], ([project]) =>
        toCompilable(sql<RelationRow>`
          select relation, count(*) as n from edges where project = ${project} and hidden = 0 group by relation
            order by 2 desc, 1`),
      );
      return rows.map(({ relation, n }) => ({ relation, n: Number(n) }));
    },

    /** Entities with the most edges in either direction. */
    digestHubs: async (project: string, limit: number): Promise<readonly HubRow[]> => {
      const rows = await ask("digestHubs", [project, limit], ([project, limit]) =>
        toCompilable(sql<HubRow>`
          select id, sum(n) as n from (
            select source as id, count(*) as n from edges where project = ${project} and hidden = 0 group by source
            union all
            select target, count(*) from edges where project = ${project} and hidden = 0 group by target) as ends
          group by id order by 2 desc, 1 limit ${limit}`),
      );
      return rows.map(({ id, n }) => ({ id, n: Number(n) }));
    },

    digestLinks: (project: string, id: string, limit: number): Promise<readonly LinkRow[]> =>
      ask("digestLinks", [project, id, limit], ([project, id, limit]) =>
        toCompilable(sql<LinkRow>`
          select * from (select source, relation, target from edges
            where project = ${project} and source = ${id} and hidden = 0 order by relation, target limit ${limit}) as ends
          union all
          select * from (select source, relation, target from edges
            where project = ${project} and target = ${id} and hidden = 0 order by relation, source limit ${limit}) as ends`),
      ),

    digestLinkCount: async (project: string, id: string): Promise<number> => {
      const [row] = await ask("digestLinkCount", [project, id], ([project, id]) =>
        toCompilable(sql<{ n: number }>`
          select (select count(*) from edges where project = ${project} and source = ${id} and hidden = 0)
            + (select count(*) from edges where project = ${project} and target = ${id} and hidden = 0) as n`),
      );
      return Number(row?.n ?? 0);
    },
  };
};

const readChanges = (db: Kysely<Tables>, ask: Ask) => {
  const toCompilable = toCompilableOf(db);
  return {
    /** Newest first. */
    digestActs: (project: string, limit: number): Promise<readonly ActRow[]> =>
      ask("digestActs", [project, limit], ([project, limit]) =>
        toCompilable(sql<ActRow>`
          select seq, author, thread, text, undone, created_at from acts where project = ${project} and seq >= 0
            order by seq desc limit ${limit}`),
      ),

    /** Changes after a seq, newest first. */
    digestChanges: (project: string, after: number, limit: number): Promise<readonly DigestChangeRow[]> =>
      ask("digestChanges", [project, after, limit], ([project, after, limit]) =>
        toCompilable(sql<DigestChangeRow>`
          select a.seq, a.author, a.thread, a.text, a.created_at, c.act, c.n, c.what, c.target, c.title, e.kind,
            case when c.before is null then 0 else 1 end as had, case when c.after is null then 0 else 1 end as has,
            case when length(c.before) <= ${sql.lit(LONGEST_CHANGE)} then c.before end as before,
            case when length(c.after) <= ${sql.lit(LONGEST_CHANGE)} then c.after end as after
          from acts a join changes c on c.project = a.project and c.act = a.id
            left join entities e on e.project = c.project and e.id = c.target
          where a.project = ${project} and a.seq > ${after} order by a.seq desc, c.n desc limit ${limit}`),
      ),

    digestChangeCount: async (project: string, after: number): Promise<number> => {
      const [row] = await ask("digestChangeCount", [project, after], ([project, after]) =>
        toCompilable(sql<{ n: number }>`
          select count(*) as n from acts a join changes c on c.project = a.project and c.act = a.id
          where a.project = ${project} and a.seq > ${after}`),
      );
      return Number(row?.n ?? 0);
    },

    /** Items changed after a seq, and whether they existed before and after. */
    digestTouched: (project: string, after: number, limit: number): Promise<readonly TouchedRow[]> =>
      ask("digestTouched", [project, after, limit], ([project, after, limit]) =>
        toCompilable(sql<TouchedRow>`
          select c.what, c.target, a.undoes, case when c.before is null then 0 else 1 end as had,
            case when c.after is null then 0 else 1 end as has
          from acts a join changes c on c.project = a.project and c.act = a.id
          where a.project = ${project} and a.seq > ${after} limit ${limit}`),
      ),

    digestFiles: (project: string, limit: number): Promise<readonly FileRow[]> =>
      ask("digestFiles", [project, limit], ([project, limit]) =>
        toCompilable(sql<FileRow>`
          select path, bytes, lines from files where project = ${project} order by path limit ${limit}`),
      ),
  };
};
