import type { ProviderId } from "../../protocol/settings/providers.ts";
import type { Clock } from "../lib/clock.ts";
import type { OpenStream, StreamResponse } from "../net/open-stream.ts";
import type { Models } from "./model.ts";
import type { ModelsConfig } from "./models-config.ts";
import type { Listing } from "./refresh.ts";
import { createModels } from "./registry.ts";
import { createProviders } from "./sdk/providers.ts";
import { testProvider, type ProviderTestResult } from "./test-provider.ts";

/** Providers set in the settings. The operator's environment takes precedence. */
export type StoredProvider = {
  readonly keys: { readonly [P in ProviderId]?: string | undefined };
  readonly address: { readonly baseUrl: string; readonly models: readonly string[] } | null;
};

/**
 * The models of this instance, rebuilt when keys or addresses change. Callers always see the newest; a running answer
 * continues with the model that it began with. Model lists of unchanged providers are kept.
 */
export type LiveModels = Models & {
  readonly use: (stored: StoredProvider) => void;
  /** undefined if this provider has no key or no address. */
  readonly test: (provider: ProviderId, signal: AbortSignal) => Promise<ProviderTestResult | undefined>;
};

type Options = {
  readonly config: ModelsConfig;
  readonly clock: Clock;
  /** Opens connections to addresses that were not set by the operator. */
  readonly stream: OpenStream;
  readonly onNote?: (note: string) => void;
};

const NONE: StoredProvider = { keys: {}, address: null };

export function createLiveModels({ config, clock, stream, onNote = () => {} }: Options): LiveModels {
  const checkedFetch = createCheckedFetch(stream);
  const knownListings = new Map<string, readonly Listing[]>();
  let merged = merge(config, NONE, checkedFetch);

  const make = (): Models => {
    const current = merged;
    return createModels({
      config: merged,
      clock,
      onNote,
      knownListings,
      onListings: (provider, listings) => {
        if (merged === current) knownListings.set(provider, listings);
      },
    });
  };
  let models = make();

  return {
    list: () => models.list(),
    find: (id) => models.find(id),
    isLocal: (id) => models.isLocal(id),
    get defaultId() {
      return models.defaultId;
    },
    fallbacks: (id) => models.fallbacks(id),
    lacksTools: (id) => models.lacksTools(id),
    noteNoTools: (id) => models.noteNoTools(id),
    refresh: () => models.refresh(),
    close: () => models.close(),
    use: (stored) => {
      const next = merge(config, stored, checkedFetch);
      for (const provider of knownListings.keys())
        if (toIdentity(next, provider) !== toIdentity(merged, provider)) knownListings.delete(provider);
      merged = next;
      models.close();
      models = make();
    },
    test: async (id, signal) => {
      const provider = createProviders(merged, globalThis.fetch).get(id);
      return provider && testProvider(provider, signal);
    },
  };
}

function merge(
  config: ModelsConfig,
  { keys, address }: StoredProvider,
  checkedFetch: typeof globalThis.fetch,
): ModelsConfig {
  const own = config.keys;
  return {
    ...config,
    keys: {
      openrouter: own.openrouter || keys.openrouter,
      openai: own.openai || keys.openai,
      anthropic: own.anthropic || keys.anthropic,
      google: own.google || keys.google,
    },
    compatible: config.compatible
      ? { ...config.compatible, apiKey: config.compatible.apiKey || keys.compatible }
      : address === null
        ? undefined
        : { ...address, apiKey: keys.compatible, fetch: checkedFetch },
  };
}

/** Changes when the address or the key of the provider changes. */
function toIdentity({ keys, compatible }: ModelsConfig, provider: string): string {
  if (provider === "compatible") return `${compatible?.baseUrl} ${compatible?.apiKey}`;
  return String(keys[provider as keyof typeof keys]);
}

const LIFE_MS = 60 * 60_000;
const IDLE_MS = 10 * 60_000;
const withoutBody = new Set([101, 204, 205, 304]);

/** A `fetch` that checks every address, for servers that a user set and not the operator. */
const createCheckedFetch =
  (stream: OpenStream): typeof globalThis.fetch =>
  async (address, init = {}) => {
    if (address instanceof Request) throw new Error("This fetch accepts only a URL.");
    const { method = "GET", body } = init;
    if (method !== "GET" && method !== "POST") throw new Error(`The method ${method} is not supported.`);
    if (body !== undefined && body !== null && typeof body !== "string")
      throw new Error("Only text bodies are supported.");
    const answer = await stream(String(address), {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" ? { body } : {}),
      ...(init.signal ? { signal: init.signal } : {}),
      lifeMs: LIFE_MS,
      idleMs: IDLE_MS,
    });
    return toResponse(answer);
  };

function toResponse({ status, headers, body }: StreamResponse): Response {
  const chunks = body[Symbol.asyncIterator]();
  if (withoutBody.has(status) || status < 200) {
    void chunks.return?.();
    return new Response(null, { status: status < 200 ? 502 : status, headers });
  }
  const readable = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await chunks.return?.();
    },
  });
  return new Response(readable, { status, headers });
}
