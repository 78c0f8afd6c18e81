import type { Clock } from "../lib/clock.ts";
import type { OpenStream, StreamResponse } from "../net/open-stream.ts";
import { isProven } from "./choose-default.ts";
import { keyedProviders, type KeyedProvider, type OwnKeyProvider } from "./keyed-providers.ts";
import { findLocalServers, type FoundServer } from "./lists/find-local-servers.ts";
import type { Models } from "./model.ts";
import { createOwnModels, type OwnKeys } from "./own-models.ts";
import { listServers, type CompatibleServer, type ModelsConfig, type ModelSettings } from "./models-config.ts";
import { createModels, type KnownList } from "./registry.ts";
import { createPlatformFetch } from "./sdk/fetch-without-timeouts.ts";
import { createProviders } from "./sdk/providers.ts";
import { testProvider, type ProviderTestResult } from "./test-provider.ts";

export type { OwnKeys } from "./own-models.ts";

/** Providers and models as set in the settings. The operator's environment takes precedence. */
export type StoredProviders = {
  readonly keys: { readonly [P in KeyedProvider]?: string | undefined };
  /** Addresses of Azure and Bedrock, with the models that the user named. */
  readonly addresses?: { readonly [P in KeyedProvider]?: Pick<CompatibleServer, "baseUrl" | "models"> | undefined };
  /** OpenAI-compatible servers by id. `compatible` may have only a key, for the operator's address. */
  readonly servers: Readonly<Record<string, Omit<CompatibleServer, "fetch">>>;
  /** The key of the operator's server. */
  readonly compatibleKey?: string | undefined;
  readonly proven?: readonly string[];
  readonly settings?: Readonly<Record<string, ModelSettings>>;
  readonly defaultModel?: string | undefined;
};

/**
 * The models of this instance, rebuilt when keys, addresses or model settings change. Callers always see the newest; a running
 * answer continues with the model that it began with. Model lists of unchanged providers are kept.
 */
export type LiveModels = Models & {
  readonly use: (stored: StoredProviders, lists?: ReadonlyMap<string, StoredList>) => void;
  /** Replaces the keys of all users. Breakers and lists of unchanged keys are kept. */
  readonly useOwnKeys: (byUser: ReadonlyMap<string, OwnKeys>) => void;
  /** undefined if the user has no key for this provider. */
  readonly testOwn: (
    userId: string,
    provider: OwnKeyProvider,
    signal: AbortSignal,
  ) => Promise<ProviderTestResult | undefined>;
  /** undefined if this provider has no key or no address. */
  readonly test: (provider: string, signal: AbortSignal) => Promise<ProviderTestResult | undefined>;
  readonly isProven: (provider: string) => boolean;
  /** Model servers on this machine. */
  /** Whether it may look for model servers on this machine. */
  readonly findsLocal: boolean;
  readonly findLocal: (signal: AbortSignal) => Promise<readonly FoundServer[]>;
};

/** A list that was read by this or another process. It is used only for the same address. */
export type StoredList = KnownList & { readonly baseUrl: string };

type Options = {
  readonly config: ModelsConfig;
  readonly clock: Clock;
  /** Opens connections to addresses that were not set by the operator. */
  readonly stream: OpenStream;
  readonly onNote?: (note: string) => void;
  /** Called with every list that was read. */
  readonly onList?: (provider: string, list: StoredList) => void;
};

const NONE: StoredProviders = { keys: {}, servers: {} };

export function createLiveModels({ config, clock, stream, onNote = () => {}, onList }: Options): LiveModels {
  const checkedFetch = createCheckedFetch(stream);
  const fetch = createPlatformFetch(config.proxy);
  const knownListings = new Map<string, KnownList>();
  const checked = new Map<string, boolean>();
  /** Providers whose list this process has read. */
  const fresh = new Set<string>();
  let merged = merge(config, NONE, checkedFetch);

  const make = (): Models => {
    const current = merged;
    return createModels({
      config: merged,
      clock,
      fetch,
      onNote,
      knownListings,
      checked,
      isFresh: (provider) => fresh.has(provider),
      onListings: (provider, list) => {
        if (merged !== current) return;
        knownListings.set(provider, list);
        fresh.add(provider);
        onList?.(provider, { ...list, baseUrl: toAddress(merged, provider) });
      },
    });
  };
  let models = make();
  const own = createOwnModels({
    ...{ clock, fetch, checked, knownListings },
    shared: () => ({ models, config: merged }),
    forUser: (userId) => forUser(userId),
  });
  const forUser = (userId: string): Models => own.find(userId) ?? live;

  const live: LiveModels = {
    forUser,
    useOwnKeys: own.use,
    testOwn: own.test,
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
    reload: (provider) => models.reload(provider),
    close: () => {
      models.close();
      own.close();
    },
    use: (stored, lists) => {
      const next = merge(config, stored, checkedFetch);
      for (const provider of new Set([...knownListings.keys(), ...checked.keys()])) {
        if (toIdentity(next, provider) === toIdentity(merged, provider)) continue;
        knownListings.delete(provider);
        checked.delete(provider);
        fresh.delete(provider);
      }
      merged = next;
      for (const [provider, { baseUrl, ...list }] of lists ?? [])
        if (!knownListings.has(provider) && baseUrl === toAddress(next, provider)) knownListings.set(provider, list);
      models.close();
      models = make();
      own.rebuild();
    },
    test: async (id, signal) => {
      const tested = merged;
      const provider = createProviders(merged, fetch).get(id);
      const result = provider && (await testProvider(provider, signal));
      if (result && merged === tested) checked.set(id, result.outcome === "ok");
      return result;
    },
    isProven: (provider) => isProven(merged, checked, provider),
    findsLocal: Object.keys(config.localUrls ?? {}).length > 0,
    findLocal: (signal) => findLocalServers(config.localUrls ?? {}, signal),
  };
  return live;
}

function merge(
  config: ModelsConfig,
  { keys, addresses = {}, servers, compatibleKey, ...stored }: StoredProviders,
  checkedFetch: typeof globalThis.fetch,
): ModelsConfig {
  const ids = Object.keys(keyedProviders) as readonly KeyedProvider[];
  // The operator's address takes precedence.
  const own = ids.filter((id) => !config.baseUrls?.[id] && addresses[id] !== undefined);
  const of = <T>(list: readonly KeyedProvider[], toValue: (id: KeyedProvider) => T): { [P in KeyedProvider]?: T } =>
    Object.fromEntries(list.map((id) => [id, toValue(id)])) as { [P in KeyedProvider]?: T };
  return {
    ...config,
    keys: of(ids, (id) => config.keys[id] || keys[id]),
    baseUrls: { ...config.baseUrls, ...of(own, (id) => addresses[id]?.baseUrl) },
    fetches: of(own, () => checkedFetch),
    names: of(ids, (id) => addresses[id]?.models),
    compatible: config.compatible && { ...config.compatible, apiKey: config.compatible.apiKey || compatibleKey },
    servers: Object.fromEntries(
      Object.entries(servers).map(([id, server]) => [id, { ...server, fetch: checkedFetch }]),
    ),
    proven: stored.proven,
    settings: stored.settings,
    chosenDefault: stored.defaultModel,
  };
}

/** Changes when the address, the key or a header of the provider changes. */
function toIdentity(config: ModelsConfig, provider: string): string {
  const server = new Map(listServers(config)).get(provider);
  if (server !== undefined) return JSON.stringify([server.baseUrl, server.apiKey, server.headers]);
  const id = provider as KeyedProvider;
  return JSON.stringify([config.baseUrls?.[id], config.keys[id]]);
}

const toAddress = (config: ModelsConfig, provider: string): string =>
  new Map(listServers(config)).get(provider)?.baseUrl ?? config.baseUrls?.[provider as KeyedProvider] ?? "";

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
