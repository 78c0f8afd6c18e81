import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Provider } from "../sdk/provider.ts";
import type { Listing } from "./listing.ts";

const intervalMs = 6 * 60 * 60 * 1000;
const timeoutMs = 15_000;
const listBytes = 20_000_000;
/** Delay before a list that could not be read is requested again. */
const backOff = { firstMs: 1_000, maxMs: 30_000 } as const;
/** How long a request for the models waits for a list that is loading. */
const waitMs = 2_000;
const pauseMs = 10_000;

/**
 * Reads the model lists of all providers that have one, at startup and every six hours, and passes them to `onListings`.
 * Failures are reported to `onNote`; `retry` reads the failed lists again.
 */
export const createRefresh = (options: {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly onListings: (provider: string, listings: readonly Listing[]) => void;
  /** Whether the provider can be reached and accepts the key; not called if its reply does not tell. */
  readonly onChecked: (provider: string, works: boolean) => void;
  readonly onNote: (note: string) => void;
  readonly clock: Clock;
}) => {
  const { providers, onListings, onChecked, onNote, clock } = options;
  const failures = new Map<string, { readonly count: number; readonly notBefore: number }>();
  const asking = new Map<string, Promise<void>>();
  const readAt = new Map<string, number>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const ask = async (name: string, provider: Provider) => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const { listings, count } = await provider.readList(signal);
      if (closing.signal.aborted) return;
      if (listings.length > 0) onListings(name, listings);
      failures.delete(name);
      // A public list says nothing about the key.
      await provider.checkKey?.(signal);
      if (!closing.signal.aborted && count !== undefined) onChecked(name, true);
    } catch (error) {
      if (closing.signal.aborted) return;
      if (!(error instanceof BadStatus) || isRefusal(error.status)) onChecked(name, false);
      if (error instanceof BadStatus && provider.checkKey !== undefined && isRefusal(error.status)) return;
      const count = (failures.get(name)?.count ?? 0) + 1;
      const delayMs = Math.min(backOff.firstMs * 2 ** (count - 1), backOff.maxMs);
      failures.set(name, { count, notBefore: clock.monotonic() + delayMs });
      if (count === 1) onNote(`The model list of ${provider.label} could not be read: ${toCause(error)}`);
    }
  };
  /** At most one request at a time for each provider. */
  const askOnce = (name: string, provider: Provider): Promise<void> => {
    const running = asking.get(name) ?? ask(name, provider).finally(() => asking.delete(name));
    asking.set(name, running);
    return running;
  };
  const askAll = () => Promise.all([...providers].map(([name, provider]) => askOnce(name, provider)));

  return {
    /** `isFresh`: whether a provider's list was read a short time ago. */
    start: (isFresh: (provider: string) => boolean = () => false) => {
      for (const [name, provider] of providers) if (!isFresh(name)) void askOnce(name, provider);
      timer = setInterval(() => void askAll(), intervalMs);
      timer.unref();
    },
    /** Reads failed lists whose back-off is over, of one provider or of all. Resolves when they are read, or after a short wait. */
    retry: async (only?: string): Promise<void> => {
      const due = [...providers].filter(([name]) => {
        if (only !== undefined && name !== only) return false;
        const failure = failures.get(name);
        return asking.has(name) || (failure !== undefined && failure.notBefore <= clock.monotonic());
      });
      if (due.length === 0 || closing.signal.aborted) return;
      const waited = new AbortController();
      const read = Promise.all(due.map(([name, provider]) => askOnce(name, provider)));
      await Promise.race([read, sleep(waitMs, waited.signal)]);
      waited.abort();
    },
    /** Reads the list of one provider again, at most once in ten seconds. */
    read: async (name: string): Promise<void> => {
      const provider = providers.get(name);
      const last = readAt.get(name);
      if (provider === undefined || closing.signal.aborted) return;
      if (last !== undefined && clock.monotonic() - last < pauseMs) return;
      readAt.set(name, clock.monotonic());
      await askOnce(name, provider);
    },
    close: () => {
      closing.abort();
      clearInterval(timer);
    },
  };
};

const isRefusal = (status: number): boolean => status === 401 || status === 403;

const toCause = (error: unknown): string => (error instanceof Error ? error.name : "unknown cause");

/** The server answered with an error status. */
export class BadStatus extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

type ListRequest = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
};

/** Reads a list as JSON, up to a size limit. Throws on any other response. */
export const fetchList = async (
  fetch: typeof globalThis.fetch,
  url: string,
  { headers = {}, body, signal }: ListRequest,
): Promise<unknown> => {
  const response = await fetch(url, {
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    signal,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new BadStatus(response.status);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > listBytes) throw new Error("The list is too long.");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
};
