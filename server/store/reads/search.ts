import { sql, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { ListDialect } from "./projects/lists.ts";

export type SearchQuery = {
  readonly owner: string;
  /** A hit contains all of them, the last one as a prefix. */
  readonly terms: readonly string[];
  readonly limit: number;
  readonly kind?: "said" | "fetched" | undefined;
  readonly project?: string | undefined;
  readonly profile?: string | undefined;
  /** `from` is inclusive, `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly archived?: boolean | undefined;
};
/** `text` is the beginning of the text. */
export type SearchRow = { thread: string; message: string; text: string; at: number };

/** Length of the beginning in which a hit is located for its snippet. */
export const SHOWN_CHARACTERS = 50_000;

/** Condition on documents `d`, joined with their threads. `isNarrow`: it may exclude most hits; otherwise nothing is joined. */
export type SearchFilter = {
  readonly join: RawBuilder<unknown>;
  readonly holds: RawBuilder<unknown>;
  readonly isNarrow: boolean;
};

/** Artifacts have a `message` that begins with @, see `thread/search-docs.ts`. */
export function toFilter({ kind, project, profile, from, to, archived }: SearchQuery): SearchFilter {
  const narrow: RawBuilder<boolean>[] = [
    ...(kind === undefined
      ? []
      : [kind === "fetched" ? sql<boolean>`d.message like '@%'` : sql<boolean>`d.message not like '@%'`]),
    ...(project === undefined ? [] : [sql<boolean>`t.project = ${project}`]),
    ...(profile === undefined ? [] : [sql<boolean>`t.profile = ${profile}`]),
    ...(from === undefined ? [] : [sql<boolean>`d.at >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`d.at < ${to}`]),
    ...(archived === undefined ? [] : [sql<boolean>`t.archived = ${archived ? 1 : 0}`]),
  ];
  if (narrow.length === 0) return { join: sql``, holds: sql`1 = 1`, isNarrow: false };
  return { join: sql`join threads t on t.id = d.thread`, holds: sql.join(narrow, sql` and `), isNarrow: true };
}

type ProjectRange = {
  readonly projects: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly limit: number;
};
type EntityHit = {
  readonly project: string;
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly updated_at: number;
};
type FileText = {
  readonly project: string;
  readonly path: string;
  readonly updated_at: number;
  readonly body: string;
};

type SearchDialect = ListDialect & {
  readonly search: (db: Kysely<Tables>, query: SearchQuery) => Promise<readonly SearchRow[]>;
};

export const readSearch = (db: Kysely<Tables>, dialect: SearchDialect) => ({
  /** Messages, titles and artifacts that contain every term, newest first. */
  search: async (query: SearchQuery): Promise<readonly SearchRow[]> => {
    const terms = query.terms.filter((term) => term !== "");
    return terms.length ? dialect.search(db, { ...query, terms }) : [];
  },

  /** Index entries of these messages; `@REF` for artifacts. */
  searchDocs: (thread: string, messages: readonly string[]): Promise<readonly RowOf<"search_docs">[]> =>
    messages.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom("search_docs")
          .select(["thread", "message", "owner", "at", "text", "terms"])
          .where("thread", "=", thread)
          .where("message", "in", messages)
          .execute(),

  /** Entities of these projects that contain every term as a prefix, newest first. */
  findEntities: (
    terms: readonly string[],
    { projects, from, to, limit }: ProjectRange,
  ): Promise<readonly EntityHit[]> =>
    projects.length === 0 || terms.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom("entities")
          .select(["project", "id", "kind", "title", "body", "updated_at"])
          .where(dialect.holdsTerms(projects, terms))
          .where("deleted", "=", 0)
          .where("updated_at", ">=", from)
          .where("updated_at", "<", to)
          .orderBy("updated_at", "desc")
          .orderBy("id", "desc")
          .limit(limit)
          .execute(),

  /** Text files of these projects, most recently changed first. */
  fileTexts: ({ projects, from, to, limit }: ProjectRange, skip: number): Promise<readonly FileText[]> =>
    projects.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom("files as f")
          .innerJoin("blobs as b", (join) => join.onRef("b.project", "=", "f.project").onRef("b.hash", "=", "f.hash"))
          .select(["f.project", "f.path", "f.updated_at", "b.body"])
          .where("f.project", "in", projects)
          .where("b.encoding", "=", "text")
          .where("f.updated_at", ">=", from)
          .where("f.updated_at", "<", to)
          .orderBy("f.updated_at", "desc")
          .orderBy("f.project")
          .orderBy("f.path")
          .limit(limit)
          .offset(skip)
          .execute(),
});
