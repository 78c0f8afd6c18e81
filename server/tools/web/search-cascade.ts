import type { PaidSearch } from "../../cost/cost.ts";
import type { Clock } from "../../lib/clock.ts";
import { NetError, type Fetch } from "../../net/fetch.ts";
import { providerNames, type ProviderName, type Providers } from "./providers/create-providers.ts";
import { SearchFault, type FaultCode, type Found, type SearchAsk } from "./providers/provider.ts";
import type { SearchCache } from "./search-cache.ts";

/**
 * Providers one after the other until one has found something. Whatever goes wrong with one is written down and the next
 * is asked; only a stop ends it early. `found` is empty when none had anything, and `attempts` tells why.
 */
export type Searched = {
  readonly provider: string | null;
  readonly found: readonly Found[];
  readonly isCached: boolean;
  readonly attempts: readonly Attempt[];
  /** Passed over for want of a key or an address. */
  readonly notSetUp: readonly string[];
  /** Searches that are charged for: those that were answered, with results or without. */
  readonly paid: readonly PaidSearch[];
};

export type Attempt = { readonly provider: string; readonly code: FaultCode; readonly reason: string };

export type Cascade = (ask: SearchAsk, asking: Asking) => Promise<Searched>;

export type Asking = {
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** To be asked before the others. */
  readonly first?: ProviderName | undefined;
  readonly tell: (provider: string) => void;
};

type Options = {
  readonly providers: Providers;
  readonly order: readonly string[];
  readonly cache: SearchCache;
  readonly clock: Clock;
  /** US dollars for one search, where the provider does not say itself. */
  readonly prices: Readonly<Record<string, number>>;
};

/** For all of them together: beyond it, those left are not asked. */
const BUDGET_MS = 50_000;
const MIN_MS = 1000;

export function createCascade({ providers, order, cache, clock, prices }: Options): Cascade {
  return async (ask, { fetch, signal, first, tell }) => {
    const endsAt = clock.monotonic() + BUDGET_MS;
    const attempts: Attempt[] = [];
    const notSetUp: string[] = [];
    const paid: PaidSearch[] = [];
    for (const name of new Set(first === undefined ? order : [first, ...order])) {
      const provider = isKnown(name) ? providers[name] : undefined;
      if (!isKnown(name))
        attempts.push({ provider: name, code: "unknown-name", reason: "There is no search of this name." });
      else if (provider === undefined) notSetUp.push(name);
      if (provider === undefined) continue;
      const cached = cache.find(name, ask);
      if (cached !== undefined) return { provider: name, found: cached, isCached: true, attempts, notSetUp, paid };
      tell(name);
      let costUsd = prices[name] ?? null;
      const startedAt = clock.now();
      const pay = (): void => {
        if (provider.isPaid) paid.push({ provider: name, costUsd, startedAt, endedAt: clock.now() });
      };
      try {
        const timeoutMs = Math.min(provider.timeoutMs, endsAt - clock.monotonic());
        if (timeoutMs < MIN_MS) throw new SearchFault("out-of-time", "The others had taken all the time there was.");
        const found = await provider.search(ask, limit(fetch, timeoutMs, signal), (usd) => (costUsd = usd));
        pay();
        if (found.length === 0) throw new SearchFault("nothing-found", "It found nothing.");
        cache.put(name, ask, found);
        return { provider: name, found, isCached: false, attempts, notSetUp, paid };
      } catch (error) {
        const reason = toReason(error);
        // Some say that they found nothing by a failure; they charge for it all the same.
        if (reason.code === "nothing-found" && !paid.some((one) => one.provider === name)) pay();
        attempts.push({ provider: name, ...reason });
      }
    }
    return { provider: null, found: [], isCached: false, attempts, notSetUp, paid };
  };
}

const isKnown = (name: string): name is ProviderName => (providerNames as readonly string[]).includes(name);

const limit =
  (fetch: Fetch, timeoutMs: number, signal: AbortSignal): Fetch =>
  (url, init) =>
    fetch(url, { ...init, signal, timeoutMs: Math.min(timeoutMs, init?.timeoutMs ?? timeoutMs) });

/** Anything else is a mistake of ours or the person's stop: not the provider's, so not a reason to ask the next one. */
function toReason(error: unknown): { readonly code: FaultCode; readonly reason: string } {
  if (error instanceof SearchFault) return { code: error.code, reason: error.message };
  if (error instanceof NetError && error.code !== "aborted") return { code: "unreachable", reason: error.message };
  throw error;
}
