import type { Model as ModelInfo } from "../../protocol/api.ts";
import type { Clock } from "../lib/clock.ts";
import { createBreaker, joinBreakers, type Breaker } from "./breaker.ts";
import { catalog } from "./catalog.ts";
import { rankFallbacks } from "./fallback.ts";
import { isLocalAddress, isLoopbackAddress } from "../net/local-address.ts";
import { unknownPrices, type Model, type Models } from "./model.ts";
import type { KeyedProvider, ModelsConfig } from "./models-config.ts";
import { createOfflineModel, offlineId } from "./offline/offline-model.ts";
import { createRefresh, isChatModel, type Listing } from "./refresh.ts";
import { createScriptedModel, scriptedIds } from "./scripted.ts";
import { createProviders, type Provider } from "./sdk/providers.ts";
import { fetchWithoutTimeouts } from "./sdk/fetch-without-timeouts.ts";
import { createSdkModel } from "./sdk-model.ts";

/**
 * Creates all models of this instance, by id (`provider/model`). The offline model is always included. Windows and prices are
 * refreshed from the providers' lists in the background; a failed refresh is reported to `onNote` and retried when models
 * are listed. No answer waits for a refresh.
 */
export const createModels = (options: {
  readonly config: ModelsConfig;
  readonly clock: Clock;
  readonly fetch?: typeof globalThis.fetch;
  readonly onNote?: (note: string) => void;
  /** Lists that were read before, by provider. */
  readonly knownListings?: ReadonlyMap<string, readonly Listing[]>;
  readonly onListings?: (provider: string, listings: readonly Listing[]) => void;
}): Models => {
  const { config, clock } = options;
  const providers = createProviders(config, options.fetch ?? fetchWithoutTimeouts);
  /** Until when prompts have no tools, by model. */
  const withoutTools = new Map<string, number>();
  const models = new Map<string, Model>();
  /** Models of a provider's list that the picker does not show. They can be used by id. */
  const unlisted = new Map<string, Model>();

  const connect = createConnect(config, clock, providers);
  const add = (info: ModelInfo) => models.set(info.id, connect(info));

  if (config.scripted !== undefined) {
    for (const id of Object.values(scriptedIds)) models.set(id, createScriptedModel(id, config.scripted));
  }
  for (const info of catalogModels(config)) add(info);
  for (const name of config.compatible?.models ?? []) add(compatibleModel(config, name));
  const offline = createOfflineModel({ paceMs: config.offlinePaceMs });
  models.set(offlineId, offline);

  const named = new Set(config.compatible?.models ?? []);
  /** While its list is unknown, any model of the compatible server is accepted. */
  let isListMissing = config.compatible !== undefined && named.size === 0;

  const learn = (provider: string, listings: readonly Listing[]) => {
    const date = new Date(clock.now()).toISOString().slice(0, 10);
    if (provider === "compatible") {
      isListMissing = false;
      for (const listing of listings.filter((one) => (named.size === 0 ? isChatModel(one) : named.has(one.model))))
        add(compatibleModel(config, listing.model, listing, date));
      return;
    }
    for (const [id, model] of models) {
      if (model.info.provider !== provider) continue;
      const listing = listings.find((one) => `${provider}/${one.model}` === id);
      models.set(id, connect(updated(model.info, listing, date)));
    }
    for (const listing of listings) {
      const id = `${provider}/${listing.model}`;
      if (!models.has(id)) unlisted.set(id, connect(listedModel(provider, listing, date)));
    }
  };
  for (const [provider, listings] of options.knownListings ?? [])
    if (providers.has(provider)) learn(provider, listings);
  const refresh = createRefresh({
    providers,
    onListings: (provider, listings) => {
      learn(provider, listings);
      options.onListings?.(provider, listings);
    },
    onNote: options.onNote ?? (() => {}),
    clock,
  });
  if (config.refresh === true) refresh.start();

  const list = () => [...models.values()].map((model) => model.info);
  const find = (id: string) => models.get(id) ?? unlisted.get(id) ?? findUnread(id);
  /** The call reports whether the server can be reached and has the model. */
  const findUnread = (id: string): Model | undefined => {
    const name = id.startsWith("compatible/") ? id.slice("compatible/".length) : "";
    if (!isListMissing || name === "") return undefined;
    void refresh.retry();
    return connect(compatibleModel(config, name));
  };
  const isLocal = (id: string) => {
    const provider = find(id)?.info.provider;
    if (provider === "compatible") return isLocalAddress(config.compatible?.baseUrl ?? "");
    return provider === "offline";
  };
  return {
    list,
    find,
    isLocal,
    get defaultId() {
      const { defaultModel } = config;
      return defaultModel !== undefined && findUnread(defaultModel) ? defaultModel : chooseDefault(config, list());
    },
    fallbacks: (id) => rankFallbacks(find(id)?.info, list(), { wanted: config.fallbacks, isLocal: isLocal(id) }),
    lacksTools: (id) => (withoutTools.get(id) ?? 0) > clock.monotonic(),
    noteNoTools: (id) => void withoutTools.set(id, clock.monotonic() + withoutToolsMs),
    refresh: () => refresh.retry(),
    close: () => refresh.close(),
  };
};

const maxBreakers = 10_000;

/** Connects a model to its provider, with breakers that are shared by all models of the provider. */
const createConnect = (config: ModelsConfig, clock: Clock, providers: ReadonlyMap<string, Provider>) => {
  const breakers = new Map<string, Breaker>();
  const findBreaker = (key: string, label: string): Breaker => {
    const breaker = breakers.get(key) ?? createBreaker({ clock, label });
    // While a list is unread any name is accepted, so the map must be bounded.
    if (breakers.size >= maxBreakers) breakers.clear();
    breakers.set(key, breaker);
    return breaker;
  };
  return (info: ModelInfo): Model => {
    const provider = providers.get(info.provider);
    if (provider === undefined) return { info, stream: createUnavailable(info) };
    const breakersFor = (purpose: string): Breaker =>
      joinBreakers(
        findBreaker(`${purpose} ${info.provider}`, provider.label),
        findBreaker(`${purpose} ${info.provider} ${info.id}`, `${info.name} at ${provider.label}`),
      );
    return createSdkModel({
      info,
      provider,
      clock,
      breakers: { foreground: breakersFor("foreground"), background: breakersFor("background") },
      timeouts: config.timeouts ?? {},
    });
  };
};

/** Tools are tried again later: the server may have been configured for them. */
const withoutToolsMs = 60 * 60_000;

/** The environment variables of the keys. */
const variables: Readonly<Record<KeyedProvider, string>> = {
  openrouter: "OPENROUTER_API_KEY",
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
};

const catalogModels = (config: ModelsConfig): ModelInfo[] =>
  catalog.map(({ model, ...entry }) => {
    const available = (config.keys[entry.provider] ?? "") !== "";
    const unavailable = available
      ? null
      : `Add its key in the settings, or set ${variables[entry.provider]} and restart Stonechat.`;
    return { ...entry, id: `${entry.provider}/${model}`, available, unavailable };
  });

const noPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const compatibleModel = (config: ModelsConfig, name: string, listing?: Listing, date?: string): ModelInfo => ({
  ...(isLoopbackAddress(config.compatible?.baseUrl ?? "")
    ? { free: true, prices: noPrices }
    : { free: false, prices: listing?.prices ?? unknownPrices }),
  id: `compatible/${name}`,
  name,
  provider: "compatible",
  available: true,
  unavailable: null,
  note: "From the OpenAI-compatible URL of this instance",
  reasoning: true,
  vision: listing?.vision ?? visionNames.test(name),
  windowTokens: listing?.windowTokens ?? null,
  source: date === undefined ? null : { from: "the URL's own list", date },
});

/** Model families with vision. Self-hosted servers seldom report it. */
const visionNames =
  /llava|bakllava|moondream|pixtral|vision|minicpm-v|internvl|gemma-?3(?!n)|llama-?4|qwen[\w.]{0,40}-?vl|[-_]vl\b|gpt-(4o|4\.1|5)|claude|gemini/i;

const updated = (info: ModelInfo, listing: Listing | undefined, date: string): ModelInfo => {
  if (listing === undefined) {
    return { ...info, available: false, unavailable: `${info.name} is no longer in the provider's list of models.` };
  }
  const source = { from: "the provider's own list", date };
  return {
    ...info,
    ...(listing.vision === undefined ? {} : { vision: listing.vision }),
    windowTokens: listing.windowTokens ?? info.windowTokens,
    prices: listing.prices ?? info.prices,
    source: listing.windowTokens === null && listing.prices === null ? info.source : source,
  };
};

const listedModel = (provider: string, listing: Listing, date: string): ModelInfo => ({
  id: `${provider}/${listing.model}`,
  name: listing.name,
  provider,
  free: listing.prices?.input === 0 && listing.prices.output === 0,
  available: true,
  unavailable: null,
  note: "From the provider's own list",
  reasoning: listing.reasoning,
  ...(listing.vision === undefined ? {} : { vision: listing.vision }),
  windowTokens: listing.windowTokens,
  prices: listing.prices ?? unknownPrices,
  source: { from: "the provider's own list", date },
});

const chooseDefault = (config: ModelsConfig, models: readonly ModelInfo[]): string => {
  const usable = models.filter((model) => model.available);
  const chosen = usable.find((model) => model.id === config.defaultModel);
  const wanted = config.scripted !== undefined ? scriptedIds.main : undefined;
  return chosen?.id ?? wanted ?? usable.find((model) => model.provider !== "offline")?.id ?? offlineId;
};

const createUnavailable = (info: ModelInfo): Model["stream"] =>
  async function* () {
    const text = `${info.name} is not available. ${info.unavailable ?? ""}`.trim();
    yield { type: "failed", failure: { code: "unavailable", fault: "settings", text }, isUnsent: true };
  };
