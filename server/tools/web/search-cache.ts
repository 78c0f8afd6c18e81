import type { Clock } from "../../lib/clock.ts";
import type { Found, SearchAsk } from "./providers/provider.ts";

/** What providers answered lately, by provider and query; for everybody, since the web answers everybody alike. */
export type SearchCache = {
  readonly find: (provider: string, ask: SearchAsk) => readonly Found[] | undefined;
  readonly put: (provider: string, ask: SearchAsk, found: readonly Found[]) => void;
};

const FRESH_MS = 15 * 60_000;
const MAX_ENTRIES = 500;

export function createSearchCache(clock: Clock): SearchCache {
  const entries = new Map<string, { readonly at: number; readonly count: number; readonly found: readonly Found[] }>();
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

/** Queries that differ only in case and spaces are the same. */
export const toQueryKey = (query: string): string => query.trim().replace(/\s+/g, " ").toLowerCase();
