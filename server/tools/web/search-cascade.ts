import type { PaidSearch } from "../../cost/cost.ts";
import type { Clock } from "../../lib/clock.ts";
import { NetError, type Fetch } from "../../net/fetch.ts";
import { providerNames, type ProviderName, type Providers } from "./providers/create-providers.ts";
import { SearchFault, type FaultCode, type SearchResult, type SearchQuery } from "./providers/provider.ts";
import type { SearchCache } from "./search-cache.ts";

/**
 * Queries providers in order until one returns results. A failure is recorded and the next provider is queried; only an abort
 * ends the search early. `found` is empty if no provider had results, and `attempts` says why.
 */
export type SearchOutcome = {
  readonly provider: string | null;
  readonly found: readonly SearchResult[];
  readonly isCached: boolean;
  readonly attempts: readonly Attempt[];
  /** Providers skipped because they have no key or URL. */
  readonly notSetUp: readonly string[];
  /** Searches that cost money: those a paid provider answered, with or without results. */
  readonly paid: readonly PaidSearch[];
};

type Attempt = { readonly provider: string; readonly code: FaultCode; readonly reason: string };

type Cascade = (ask: SearchQuery, context: SearchContext) => Promise<SearchOutcome>;

export type SearchContext = {
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** Queried before the others. */
  readonly first?: ProviderName | undefined;
  /** The only model provider that may be queried; null: any. */
  readonly onlyProvider: string | null;
  readonly onProvider: (provider: string) => void;
};

type Options = {
  readonly providers: Providers;
  readonly order: readonly string[];
  readonly cache: SearchCache;
  readonly clock: Clock;
  /** US dollars per search, if the provider does not report its cost. */
  readonly prices: Readonly<Record<string, number>>;
};

/** Time for all providers together. After it, the remaining ones are not queried. */
const BUDGET_MS = 50_000;
const MIN_MS = 1000;

export function createCascade({ providers, order, cache, clock, prices }: Options): Cascade {
  return async (ask, { fetch, signal, first, onlyProvider, onProvider }) => {
    const endsAt = clock.monotonic() + BUDGET_MS;
    const attempts: Attempt[] = [];
    const notSetUp: string[] = [];
    const paid: PaidSearch[] = [];
    for (const name of new Set(first === undefined ? order : [first, ...order])) {
      if (name === MODEL_PROVIDER && providers[name] && onlyProvider !== null && onlyProvider !== name) {
        attempts.push({
          provider: name,
          code: "blocked",
          reason: "The text of this thread is sent to no other model provider.",
        });
        continue;
      }
      const provider = isKnown(name) ? providers[name] : undefined;
      if (!isKnown(name))
        attempts.push({ provider: name, code: "unknown-name", reason: "There is no search provider with this name." });
      else if (provider === undefined) notSetUp.push(name);
      if (provider === undefined) continue;
      const cached = cache.find(name, ask);
      if (cached !== undefined) return { provider: name, found: cached, isCached: true, attempts, notSetUp, paid };
      onProvider(name);
      let costUsd = prices[name] ?? null;
      const startedAt = clock.now();
      const pay = (): void => {
        if (provider.isPaid) paid.push({ provider: name, costUsd, startedAt, endedAt: clock.now() });
      };
      try {
        const timeoutMs = Math.min(provider.timeoutMs, endsAt - clock.monotonic());
        if (timeoutMs < MIN_MS) throw new SearchFault("out-of-time", "No time was left after the other providers.");
        const found = await provider.search(ask, limit(fetch, timeoutMs, signal), (usd) => (costUsd = usd));
        pay();
        if (found.length === 0) throw new SearchFault("nothing-found", "It found no results.");
        cache.put(name, ask, found);
        return { provider: name, found, isCached: false, attempts, notSetUp, paid };
      } catch (error) {
        const reason = toReason(error);
        // Some providers report no results as an error but still charge for the search.
        if (reason.code === "nothing-found" && !paid.some((one) => one.provider === name)) pay();
        attempts.push({ provider: name, ...reason });
      }
    }
    return { provider: null, found: [], isCached: false, attempts, notSetUp, paid };
  };
}

/** A provider whose searches are model calls, so a model receives the query as a message. */
const MODEL_PROVIDER: ProviderName = "openrouter";

const isKnown = (name: string): name is ProviderName => (providerNames as readonly string[]).includes(name);

const limit =
  (fetch: Fetch, timeoutMs: number, signal: AbortSignal): Fetch =>
  (url, init) =>
    fetch(url, { ...init, signal, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) });

/** Rethrows bugs and aborts: they are not the provider's failure, so the next provider is not queried. */
function toReason(error: unknown): { readonly code: FaultCode; readonly reason: string } {
  if (error instanceof SearchFault) return { code: error.code, reason: error.message };
  if (error instanceof NetError && error.code !== "aborted") return { code: "unreachable", reason: error.message };
  throw error;
}
