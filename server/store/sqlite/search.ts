import { sql, type Kysely, type RawBuilder } from "kysely";
import type { ListParameter } from "../reads/reads.ts";
import { SHOWN_CHARACTERS, toFilter, type SearchQuery, type SearchRow } from "../reads/search.ts";
import type { Tables } from "../schema.ts";
import { toStorable } from "../write-sql.ts";

/** Only this many of the newest hits are read, which bounds the cost of common words. */
const CANDIDATES = 2000;
/** The same limit when a filter may exclude most hits. */
const FILTERED_CANDIDATES = 20_000;

export async function search(db: Kysely<Tables>, query: SearchQuery): Promise<readonly SearchRow[]> {
  const { owner, terms, limit } = query;
  const filter = toFilter(query);
  const words = terms.map((term, index) => `${quote(term)}${index === terms.length - 1 ? "*" : ""}`);
  const match = `owner : ${quote(owner)} AND terms : (${words.join(" AND ")})`;
  // Texts are read only for the returned rows, not for all sorted ones.
  const result = await sql<SearchRow>`
    select n.thread, n.message, substr(n.text, 1, ${SHOWN_CHARACTERS}) as text, n.at
      from (select d.id
          from (select rowid from search_index where search_index match ${match} order by rowid desc
              limit ${filter.isNarrow ? FILTERED_CANDIDATES : CANDIDATES}) i
          join search_docs d on d.id = i.rowid
          ${filter.join}
          where ${filter.holds}
          order by d.at desc, d.thread desc, d.message desc limit ${limit}) found
      join search_docs n on n.id = found.id
      order by n.at desc, n.thread desc, n.message desc`.execute(db);
  return result.rows;
}

/** Condition on entities: title or body contains, for each term, a word with that prefix. */
export function holdsTerms(projects: string | readonly string[], terms: readonly string[]): RawBuilder<boolean> {
  const words = terms.map((term) => `${quote(term)}*`).join(" AND ");
  const match = `project : (${[projects].flat().map(quote).join(" OR ")}) AND terms : (${words})`;
  return sql<boolean>`n in (select rowid from entities_search where entities_search match ${match})`;
}

/** Quoted, so that a term cannot contain operators. */
const quote = (term: string): string => `"${toStorable(term).replaceAll('"', '""')}"`;

export const listParameter: ListParameter = {
  bind: (values) => JSON.stringify(values),
  holds: (bound, column) => sql<boolean>`${sql.ref(column)} in (select value from json_each(${bound}))`,
};
