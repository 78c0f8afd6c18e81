import type { Clock } from "../../lib/clock.ts";
import type { SearchResult, SearchQuery } from "./providers/provider.ts";

/** Recent results by provider and query. Shared by all users, because search results do not depend on the user. */
export type SearchCache = {
  readonly find: (provider: string, ask: SearchQuery) => readonly SearchResult[] | undefined;
  readonly put: (provider: string, ask: SearchQuery, found: readonly SearchResult[]) => void;
};

const FRESH_MS = 15 * 60_000;
const MAX_ENTRIES = 500;

export function createSearchCache(clock: Clock): SearchCache {
  const entries = new Map<
    string,
    { readonly at: number; readonly count: number; readonly found: readonly SearchResult[] }
  >();
  return {
    find: (provider, { query, count }) => {
      const key = toKey(provider, query);
      const entry = entries.get(key);
      if (entry === undefined || entry.count < count) return undefined;
      if (clock.monotonic() - entry.at < FRESH_MS) return entry.found.slice(0, count);
      entries.delete(key);
      return undefined;
    },
    put: (provider, { query, count }, found) => {
      const key = toKey(provider, query);
      entries.delete(key);
      entries.set(key, { at: clock.monotonic(), count, found });
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
  };
}

const toKey = (provider: string, query: string): string => `${provider} ${toQueryKey(query)}`;

/** Ignores case and repeated spaces. */
export const toQueryKey = (query: string): string => query.trim().replace(/\s+/g, " ").toLowerCase();
