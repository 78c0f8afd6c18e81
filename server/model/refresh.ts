import type { Clock } from "../lib/clock.ts";
import { sleep } from "../lib/sleep.ts";
import type { Prices } from "./catalog.ts";
import type { Provider } from "./sdk/providers.ts";

/** One model in a provider's list. null: the list does not say. */
export type Listing = {
  readonly model: string;
  readonly name: string;
  readonly windowTokens: number | null;
  readonly prices: Prices | null;
  readonly reasoning: boolean;
  /** Absent: the list does not say. */
  readonly vision?: boolean;
};

const intervalMs = 6 * 60 * 60 * 1000;
const timeoutMs = 15_000;
const listBytes = 20_000_000;
/** Delay before a list that could not be read is requested again. */
const backOff = { firstMs: 1_000, maxMs: 30_000 } as const;
/** How long a request for the models waits for a list that is loading. */
const waitMs = 2_000;

/**
 * Reads the model lists of all providers that have one, at startup and every six hours, and passes them to `onListings`.
 * Failures are reported to `onNote`; `retry` reads the failed lists again.
 */
export const createRefresh = (options: {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly onListings: (provider: string, listings: readonly Listing[]) => void;
  readonly onNote: (note: string) => void;
  readonly clock: Clock;
}) => {
  const { providers, onListings, onNote, clock } = options;
  const failures = new Map<string, { readonly count: number; readonly notBefore: number }>();
  const asking = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const ask = async (name: string, provider: Provider) => {
    try {
      const listings = await provider.readList(AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]));
      if (listings !== null && listings.length > 0) onListings(name, listings);
      failures.delete(name);
    } catch (error) {
      if (closing.signal.aborted) return;
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
    start: () => {
      void askAll();
      timer = setInterval(() => void askAll(), intervalMs);
      timer.unref();
    },
    /** Reads failed lists whose back-off is over. Resolves when they are read, or after a short wait. */
    retry: async (): Promise<void> => {
      const due = [...providers].filter(([name]) => {
        const failure = failures.get(name);
        return asking.has(name) || (failure !== undefined && failure.notBefore <= clock.monotonic());
      });
      if (due.length === 0 || closing.signal.aborted) return;
      const waited = new AbortController();
      const read = Promise.all(due.map(([name, provider]) => askOnce(name, provider)));
      await Promise.race([read, sleep(waitMs, waited.signal)]);
      waited.abort();
    },
    close: () => {
      closing.abort();
      clearInterval(timer);
    },
  };
};

const toCause = (error: unknown): string => (error instanceof Error ? error.name : "unknown cause");

/** The server answered with an error status. */
export class BadStatus extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** Reads a list as JSON, up to a size limit. Throws on any other response. */
export const fetchList = async (
  fetch: typeof globalThis.fetch,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<unknown> => {
  const response = await fetch(url, { headers, signal });
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

/** Reads `{ data: [{ id, name?, context_length?, pricing? }] }`, as OpenRouter and OpenAI send it. Invalid rows are skipped. */
export const toListings = (list: unknown): readonly Listing[] => {
  const rows = isRecord(list) && Array.isArray(list["data"]) ? list["data"] : [];
  return rows.flatMap((row: unknown): Listing[] => {
    if (!isRecord(row) || typeof row["id"] !== "string" || row["id"] === "") return [];
    const supported = row["supported_parameters"];
    return [
      {
        model: row["id"],
        name: typeof row["name"] === "string" ? row["name"] : row["id"],
        windowTokens: toCount(row["context_length"] ?? row["max_model_len"] ?? row["context_window"]),
        prices: isRecord(row["pricing"]) ? toPrices(row["pricing"]) : null,
        reasoning: Array.isArray(supported) && supported.includes("reasoning"),
        ...toVision(row["architecture"]),
      },
    ];
  });
};

/** Whether a model of an OpenAI-compatible server can chat. Lists do not say so; only the name does. */
export const isChatModel = ({ model }: Listing): boolean => !notForChat.test(model);
const notForChat = /embed|rerank|whisper|(?:^|[/_-])bge-/i;

/** The number of models in a list of any provider; undefined if it is not a list. */
export const countListed = (list: unknown): number | undefined => {
  const rows = isRecord(list) ? (list["data"] ?? list["models"]) : undefined;
  return Array.isArray(rows) ? rows.length : undefined;
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** OpenRouter lists the input modalities of each model. */
const toVision = (architecture: unknown): { readonly vision?: boolean } => {
  const modalities = isRecord(architecture) ? architecture["input_modalities"] : undefined;
  return Array.isArray(modalities) ? { vision: modalities.includes("image") } : {};
};

const toCount = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null);

/** Listed per token, as text; ours are per million tokens. A negative price means that it varies. */
const toPrices = (pricing: Record<string, unknown>): Prices => {
  const perMillion = (value: unknown): number | null => {
    const price = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
    return Number.isFinite(price) && price >= 0 ? Math.round(price * 1e12) / 1e6 : null;
  };
  return {
    input: perMillion(pricing["prompt"]),
    output: perMillion(pricing["completion"]),
    cacheRead: perMillion(pricing["input_cache_read"]),
    cacheWrite: perMillion(pricing["input_cache_write"]),
  };
};
