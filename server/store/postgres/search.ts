import { sql, type Kysely, type RawBuilder } from "kysely";
import { SHOWN_CHARACTERS, toFilter, type SearchFilter, type SearchQuery, type SearchRow } from "../reads/search.ts";
import type { Tables } from "../schema.ts";

/** Up to this many hits are sorted by time. More common words are found by scanning back from the newest. */
const CANDIDATES = 10_000;

/** Prefix of the owner's word in the vector. */
const OWNER_MARK = "\u0001";

/**
 * Newest first. The text index returns hits unordered, so a common word would cost O(hits). Scanning by time would cost
 * O(documents) for a rare word. Each method is used where it is cheap.
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

/** `is true` prevents use of the text index. */
async function walkBack(db: Kysely<Tables>, { owner, query, limit, filter }: Walk): Promise<readonly SearchRow[]> {
  const { rows } = await sql<SearchRow>`
    select d.thread, d.message, left(d.text, ${SHOWN_CHARACTERS}) as text, d.at from search_docs d ${filter.join}
      where d.owner = ${owner} and (d.vector @@ ${query}::tsquery) is true and ${filter.holds}
      order by d.at desc, d.thread desc, d.message desc limit ${limit}`.execute(db);
  return rows;
}

/** Condition on entities: title or body contains, for each term, a word with that prefix. */
export function holdsTerms(projects: string | readonly string[], terms: readonly string[]): RawBuilder<boolean> {
  const within = [projects].flat().map((project) => quote(`${OWNER_MARK}${project}`));
  const words = [`(${within.join(" | ")})`, ...toQuoted(terms).map((term) => `${term}:*`)];
  return sql<boolean>`vector @@ ${words.join(" & ")}::tsquery`;
}

const toQuoted = (terms: readonly string[]): string[] =>
  terms.map((term) => quote([...term.replaceAll(OWNER_MARK, "\uFFFD")].slice(0, 200).join("")));

/** Terms are quoted, so that they cannot contain operators. The last one is a prefix. */
function toTsQuery(owner: string, terms: readonly string[]): string {
  const quoted = toQuoted(terms);
  return [quote(`${OWNER_MARK}${owner}`), ...quoted.slice(0, -1), `${quoted.at(-1)}:*`].join(" & ");
}

const quote = (lexeme: string): string => `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
