import { sql, type Kysely, type RawBuilder } from "kysely";
import { SHOWN_CHARACTERS, toFilter, type SearchQuery, type SearchRow } from "../reads/search.ts";
import type { Tables } from "../schema.ts";
import { toStorable } from "../write-sql.ts";

/** Only so many hits are looked at, the newest: a word that stands everywhere costs no more than a rare one. */
const CANDIDATES = 2000;
/** The same where most of them may be left out. */
const FILTERED_CANDIDATES = 20_000;

export async function search(db: Kysely<Tables>, query: SearchQuery): Promise<readonly SearchRow[]> {
  const { owner, terms, limit } = query;
  const filter = toFilter(query);
  const words = terms.map((term, index) => `${quote(term)}${index === terms.length - 1 ? "*" : ""}`);
  const match = `owner : ${quote(owner)} AND terms : (${words.join(" AND ")})`;
  // The texts are read of those that are shown, not of all that are sorted.
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

/** The things of a project, or of several, whose title or body has, for each of these, a word that begins so. */
export function holdsTerms(projects: string | readonly string[], terms: readonly string[]): RawBuilder<boolean> {
  const words = terms.map((term) => `${quote(term)}*`).join(" AND ");
  const match = `project : (${[projects].flat().map(quote).join(" OR ")}) AND terms : (${words})`;
  return sql<boolean>`n in (select rowid from entities_search where entities_search match ${match})`;
}

/** Nothing in a term is an operator. */
const quote = (term: string): string => `"${toStorable(term).replaceAll('"', '""')}"`;
