import { sql, type Kysely, type RawBuilder } from "kysely";
import { SHOWN_CHARACTERS, toFilter, type SearchFilter, type SearchQuery, type SearchRow } from "../reads/search.ts";
import type { Tables } from "../schema.ts";

/** Up to this many hits are sorted by time; a word that stands in more is found by walking back from the newest. */
const CANDIDATES = 10_000;

/** What the owner's word in the vector begins with. */
const OWNER_MARK = "\u0001";

/**
 * Newest first. The text index gives hits in no order, so a common word would cost all of its hits; walking by time would
 * cost all documents for a rare one. Each is asked only where it is cheap.
 */
export async function search(db: Kysely<Tables>, asked: SearchQuery): Promise<readonly SearchRow[]> {
  const { owner, terms, limit } = asked;
  const query = toTsQuery(owner, terms);
  const filter = toFilter(asked);
  const { rows } = await sql<SearchRow & { hits: number }>`
    with hits as materialized (
      select d.thread, d.message, d.at from search_docs d ${filter.join}
        where d.vector @@ ${query}::tsquery and ${filter.holds} limit ${CANDIDATES + 1}
    ), newest as (
      select * from hits order by at desc, thread desc, message desc limit ${limit}
    )
    select d.thread, d.message, left(d.text, ${SHOWN_CHARACTERS}) as text, d.at, (select count(*) from hits) as hits
      from newest n join search_docs d on d.thread = n.thread and d.message = n.message
      order by d.at desc, d.thread desc, d.message desc`.execute(db);
  if ((rows[0]?.hits ?? 0) > CANDIDATES) return walkBack(db, { owner, query, limit, filter });
  return rows.map(({ thread, message, text, at }) => ({ thread, message, text, at }));
}

type Walk = {
  readonly owner: string;
  readonly query: string;
  readonly limit: number;
  readonly filter: SearchFilter;
};

/** `is true` keeps the text index out of it. */
async function walkBack(db: Kysely<Tables>, { owner, query, limit, filter }: Walk): Promise<readonly SearchRow[]> {
  const { rows } = await sql<SearchRow>`
    select d.thread, d.message, left(d.text, ${SHOWN_CHARACTERS}) as text, d.at from search_docs d ${filter.join}
      where d.owner = ${owner} and (d.vector @@ ${query}::tsquery) is true and ${filter.holds}
      order by d.at desc, d.thread desc, d.message desc limit ${limit}`.execute(db);
  return rows;
}

/** The things of a project, or of several, whose title or body has, for each of these, a word that begins so. */
export function holdsTerms(projects: string | readonly string[], terms: readonly string[]): RawBuilder<boolean> {
  const within = [projects].flat().map((project) => quote(`${OWNER_MARK}${project}`));
  const words = [`(${within.join(" | ")})`, ...toQuoted(terms).map((term) => `${term}:*`)];
  return sql<boolean>`vector @@ ${words.join(" & ")}::tsquery`;
}

const toQuoted = (terms: readonly string[]): string[] =>
  terms.map((term) => quote([...term.replaceAll(OWNER_MARK, "\uFFFD")].slice(0, 200).join("")));

/** Each term as it is, quoted, so that nothing in it is an operator; the last one as a beginning. */
function toTsQuery(owner: string, terms: readonly string[]): string {
  const quoted = toQuoted(terms);
  return [quote(`${OWNER_MARK}${owner}`), ...quoted.slice(0, -1), `${quoted.at(-1)}:*`].join(" & ");
}

const quote = (lexeme: string): string => `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
