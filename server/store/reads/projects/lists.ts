import { sql, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import { readEach } from "./each.ts";

/** Filter on entities of a project. Absent fields do not filter. */
type EntityFilter = {
  readonly project: string;
  readonly kind?: string | undefined;
  readonly state?: string | undefined;
  readonly ended?: boolean | undefined;
  /** Null: entities without a parent. */
  readonly parent?: string | null | undefined;
  /** Each is a prefix of some word in title or body. */
  readonly terms?: readonly string[] | undefined;
  /** Its dates overlap the time from here, and up to here. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

type EntitySort = "position" | "updated" | "due" | "priority" | "title";
type EntityPage = {
  readonly sort: EntitySort;
  /** Sort keys and id of the last entity before the page. */
  readonly after: readonly (string | number)[] | null;
  readonly limit: number;
};

type EntityListRow = Omit<RowOf<"entities">, "body" | "terms" | "deleted"> & {
  readonly body_length: number;
  readonly excerpt: string;
  readonly key0: string | number;
  readonly key1: string | number;
};

/** Database-specific condition for prefix search. */
export type ListDialect = {
  readonly holdsTerms: (projects: string | readonly string[], terms: readonly string[]) => RawBuilder<boolean>;
};

const FAR = 9_000_000_000_000;
const due = sql<number>`coalesce(ends_at, starts_at, ${sql.lit(FAR)})`;
const nothing = sql<number>`0`;

/** Sort keys of a page, followed by the id, all in the same direction. */
const sorts: Readonly<
  Record<EntitySort, { keys: readonly [RawBuilder<unknown>, RawBuilder<unknown>]; down: boolean }>
> = {
  position: { keys: [sql`position`, nothing], down: false },
  updated: { keys: [sql`updated_at`, nothing], down: true },
  due: { keys: [due, nothing], down: false },
  priority: { keys: [sql`priority`, sql`0 - ${due}`], down: true },
  // Shortened so that it fits into a cursor.
  title: { keys: [sql`substr(lower(title), 1, 40)`, nothing], down: false },
};

const columns = sql`project, id, kind, title, state, ended, priority, starts_at, ends_at, parent, position, version, created_at,
  updated_at, length(body) as body_length, substr(body, 1, 240) as excerpt`;

/** Lists of entities. */
export const readLists = (db: Kysely<Tables>, dialect: ListDialect) => ({
  entityPage: async (filter: EntityFilter, { sort, after, limit }: EntityPage): Promise<readonly EntityListRow[]> => {
    const { keys, down } = sorts[sort];
    const [first, second] = keys;
    const isSingle = second === nothing;
    const place = isSingle ? sql`(${first}, id)` : sql`(${first}, ${second}, id)`;
    const values = after && (isSingle ? [after[0], after[2]] : after);
    const beyond = values && sql`and ${place} ${down ? sql`<` : sql`>`} (${sql.join(values)})`;
    const way = down ? sql`desc` : sql`asc`;
    // The parent is included so that PostgreSQL uses the index order of its children.
    const ahead = sort === "position" && filter.parent !== undefined ? sql`parent ${way}, ` : sql``;
    const order = isSingle ? sql`${first} ${way}, id ${way}` : sql`${first} ${way}, ${second} ${way}, id ${way}`;
    const { rows } = await sql<EntityListRow>`
      select ${columns}, ${first} as key0, ${second} as key1 from entities
        where ${toCondition(filter, dialect)} ${beyond ?? sql``} order by ${ahead}${order} limit ${limit}`.execute(db);
    return rows;
  },

  entityTotal: async (filter: EntityFilter): Promise<number> => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from entities where ${toCondition(filter, dialect)}`.execute(db);
    return rows[0]?.n ?? 0;
  },

  /** Same filter, unordered, without deleted entities. */
  entityLines: (project: string, ids: readonly string[]): Promise<readonly EntityListRow[]> =>
    readEach(
      db,
      ids,
      "id",
      (w) => sql<EntityListRow>`
      select ${columns}, 0 as key0, 0 as key1 from ${w}
        left join entities on project = ${project} and id = w.column1 and deleted = 0`,
    ),
});

function toCondition(filter: EntityFilter, { holdsTerms }: ListDialect): RawBuilder<unknown> {
  const { project, kind, state, ended, parent, terms, from, to } = filter;
  const isWorded = terms !== undefined && terms.length > 0;
  // With search terms only the text index helps. This prevents use of the others.
  const parts = isWorded
    ? [sql`project || '' = ${project} and deleted + 0 = 0`]
    : [sql`project = ${project} and deleted = 0`];
  if (kind !== undefined) parts.push(sql`kind = ${kind}`);
  if (state !== undefined) parts.push(sql`state = ${state}`);
  if (ended !== undefined) parts.push(sql`ended = ${ended ? 1 : 0}`);
  if (parent !== undefined) parts.push(parent === null ? sql`parent is null` : sql`parent = ${parent}`);
  if (isWorded) parts.push(holdsTerms(project, terms));
  if (from !== undefined) parts.push(sql`coalesce(ends_at, starts_at) >= ${from}`);
  if (to !== undefined) parts.push(sql`coalesce(starts_at, ends_at) <= ${to}`);
  return sql.join(parts, sql` and `);
}
