import { say, sentence, type Sentence } from "../../protocol/sentences.ts";
import type { ModelInfo } from "../../protocol/api.ts";
import type { Clock } from "../lib/clock.ts";
import { createBreaker, joinBreakers, type Breaker } from "./breaker.ts";
import { catalog, findEntry, toFamily } from "./catalog.ts";
import { chooseDefault } from "./choose-default.ts";
import { describeModel, findObstacle } from "./describe-model.ts";
import { rankFallbacks } from "./fallback.ts";
import { isLocalAddress } from "../net/local-address.ts";
import { isKeyed, keyedProviders } from "./keyed-providers.ts";
import type { Model, Models } from "./model.ts";
import { listServers, type ModelsConfig } from "./models-config.ts";
import { createOfflineModel } from "./offline/offline-model.ts";
import { isChatModel, type Listing } from "./lists/listing.ts";
import { createRefresh } from "./lists/refresh.ts";
import { createScriptedModel, scriptedIds } from "./scripted.ts";
import type { Provider } from "./sdk/provider.ts";
import { createProviders } from "./sdk/providers.ts";
import { fetchWithoutTimeouts } from "./sdk/fetch-without-timeouts.ts";
import { createSdkModel } from "./sdk-model.ts";

type Options = {
  readonly config: ModelsConfig;
  readonly clock: Clock;
  readonly fetch?: typeof globalThis.fetch;
  readonly onNote?: (note: string) => void;
  /** Lists that an earlier process has read, by provider. */
  readonly knownListings?: ReadonlyMap<string, KnownList>;
  readonly onListings?: (provider: string, list: KnownList) => void;
  /** Whether a provider's list was read by this process. It is then not read again at once. */
  readonly isFresh?: (provider: string) => boolean;
  /** Whether a provider could be reached and accepted the key, by provider. Shared with the caller. */
  readonly checked?: Map<string, boolean>;
};

/** A provider's list, and the day it was read. */
export type KnownList = { readonly listings: readonly Listing[]; readonly date: string };

/**
 * Creates all models of this instance, by id (`provider/model`). The offline model is always included. Models are read from the
 * providers' lists in the background; a failed refresh is reported to `onNote` and retried when models are listed. Any other
 * id of a provider that is set up can be used, too: the provider decides whether it has the model. No answer waits for a
 * refresh.
 */
export const createModels = (options: Options): Models => {
  const { config, clock } = options;
  const providers = createProviders(config, options.fetch ?? fetchWithoutTimeouts);
  const servers = new Map(listServers(config));
  const checked = options.checked ?? new Map<string, boolean>();
  /** Until when prompts have no tools, by model. */
  const withoutTools = new Map<string, number>();
  const lists = new Map<string, KnownList>();
  const models = new Map<string, Model>();
  /** A local server tells the window of a model once it has loaded it. */
  const onAnswered = ({ provider, loaded }: ModelInfo) => {
    checked.set(provider, true);
    if (loaded === false) void refresh.read(provider);
  };
  const connect = createConnect({ config, clock, providers, onAnswered });

  /** Names in the order of the list: recommended ones first. */
  const namesOf = (provider: string): readonly string[] => {
    const named = servers.get(provider)?.models ?? (isKeyed(provider) ? config.names?.[provider] : undefined) ?? [];
    const isRestricted = servers.has(provider) && named.length > 0;
    const recommended = catalog.filter((entry) => entry.provider === provider && entry.note !== undefined);
    const listed = isRestricted ? [] : (lists.get(provider)?.listings ?? []).filter(isChatModel);
    const names = [...named, ...recommended.map(({ model }) => model), ...listed.map(({ model }) => model)];
    const known = new Set(names);
    // A dated snapshot of a recommended model is the same model.
    const isSnapshot = (name: string) => toFamily(name) !== name && known.has(toFamily(name));
    return [...known].filter((name) => named.includes(name) || !isSnapshot(name));
  };
  const findListing = (provider: string, name: string): Listing | undefined => {
    const listings = lists.get(provider)?.listings;
    return listings?.find(({ model }) => model === name) ?? listings?.find(({ model }) => toFamily(model) === name);
  };
  const describe = (provider: string, name: string): ModelInfo => {
    const listing = findListing(provider, name);
    const date = lists.get(provider)?.date ?? "";
    const info = describeModel(config, provider, name, listing && { listing, date });
    const obstacle = findObstacle(config, provider);
    if (obstacle !== null) return { ...info, available: false, ...toUnavailable(obstacle) };
    const isGone = lists.has(provider) && listing === undefined && findEntry(provider, name)?.note !== undefined;
    if (!isGone) return info;
    return { ...info, available: false, ...toUnavailable(sentence("model-gone", info.name)) };
  };
  const build = (provider: string) => {
    for (const id of [...models.keys()]) if (id.startsWith(`${provider}/`)) models.delete(id);
    for (const name of namesOf(provider)) models.set(`${provider}/${name}`, connect(describe(provider, name)));
  };

  const fixed = createFixedModels(config);
  const fixedById = new Map([...fixed.first, fixed.offline].map((model) => [model.info.id, model]));
  for (const [provider, list] of options.knownListings ?? []) if (providers.has(provider)) lists.set(provider, list);
  for (const provider of [...Object.keys(keyedProviders), ...servers.keys()]) build(provider);

  const refresh = createRefresh({
    providers,
    onListings: (provider, listings) => {
      const list = { listings, date: new Date(clock.now()).toISOString().slice(0, 10) };
      lists.set(provider, list);
      build(provider);
      options.onListings?.(provider, list);
    },
    onChecked: (provider, works) => void checked.set(provider, works),
    onNote: options.onNote ?? (() => {}),
    clock,
  });
  if (config.refresh === true) refresh.start(options.isFresh);

  const all = (): readonly Model[] => [...fixed.first, ...models.values(), fixed.offline];
  const list = () => all().map(({ info }) => info);
  const byId = (id: string) => models.get(id) ?? fixedById.get(id);
  /** The call reports whether the provider can be reached and has the model. */
  const findTyped = (id: string): Model | undefined => {
    const [provider, name] = splitId(id);
    if (name === "" || !providers.has(provider)) return undefined;
    if (!lists.has(provider)) void refresh.retry(provider);
    return connect(describeModel(config, provider, name));
  };
  const find = (id: string) =>
    byId(id) ?? findTyped(id) ?? (id === config.defaultModel ? createMissing(id, providers) : undefined);
  /** Unknown providers count as local: their server may have been removed from the settings. */
  const isLocal = (id: string) => {
    const [provider] = splitId(id);
    const server = servers.get(provider);
    if (server !== undefined) return isLocalAddress(server.baseUrl);
    return !isKeyed(provider) && provider !== "scripted";
  };
  const created: Models = {
    list,
    find,
    isLocal,
    get defaultId() {
      return chooseDefault({ config, models: list(), find: (id) => find(id)?.info, checked });
    },
    fallbacks: (id) =>
      rankFallbacks(find(id)?.info, list(), {
        wanted: config.fallbacks,
        isLocal: isLocal(id),
        isServer: servers.has(splitId(id)[0]),
        find: (other) => find(other)?.info,
      }),
    lacksTools: (id) => byId(id)?.info.tools === false || (withoutTools.get(id) ?? 0) > clock.monotonic(),
    noteNoTools: (id) => void withoutTools.set(id, clock.monotonic() + withoutToolsMs),
    refresh: () => refresh.retry(),
    reload: (provider) => refresh.read(provider),
    close: () => refresh.close(),
    forUser: () => created,
  };
  return created;
};

export const splitId = (id: string): readonly [string, string] => {
  const at = id.indexOf("/");
  return at === -1 ? [id, ""] : [id.slice(0, at), id.slice(at + 1)];
};

const createFixedModels = (config: ModelsConfig) => {
  const { scripted } = config;
  return {
    first: scripted === undefined ? [] : Object.values(scriptedIds).map((id) => createScriptedModel(id, scripted)),
    offline: createOfflineModel({ paceMs: config.offlinePaceMs }),
  };
};

const maxBreakers = 10_000;

type ConnectOptions = {
  readonly config: ModelsConfig;
  readonly clock: Clock;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly onAnswered: (info: ModelInfo) => void;
};

/** Connects a model to its provider, with breakers that are shared by all models of the provider. */
const createConnect = ({ config, clock, providers, onAnswered }: ConnectOptions) => {
  const breakers = new Map<string, Breaker>();
  const findBreaker = (key: string, label: string): Breaker => {
    const breaker = breakers.get(key) ?? createBreaker({ clock, label });
    // Any name is accepted, so the map must be bounded.
    if (breakers.size >= maxBreakers) breakers.clear();
    breakers.set(key, breaker);
    return breaker;
  };
  return (info: ModelInfo): Model => {
    const provider = providers.get(info.provider);
    if (provider === undefined) return { info, stream: createUnavailable(info) };
    const breakersFor = (purpose: string): Breaker => {
      const { admit, settle } = joinBreakers(
        findBreaker(`${purpose} ${info.provider}`, provider.label),
        findBreaker(`${purpose} ${info.provider} ${info.id}`, `${info.name} at ${provider.label}`),
      );
      return {
        admit,
        settle: (outcome, code) => {
          settle(outcome, code);
          if (outcome === "answered") onAnswered(info);
        },
      };
    };
    return createSdkModel({
      info,
      provider,
      clock,
      breakers: { foreground: breakersFor("foreground"), background: breakersFor("background") },
      timeouts: config.timeouts ?? {},
      ...(info.settings && info.sampling ? { sampling: info.settings } : {}),
    });
  };
};

/** Tools are tried again later: the server may have been configured for them. */
const withoutToolsMs = 60 * 60_000;

/** The operator's default model, if no provider of that name is set up: each call says so. */
const createMissing = (id: string, providers: ReadonlyMap<string, Provider>): Model => {
  const known = [...providers.keys(), "offline"].map((provider) => `${provider}/`).join(", ");
  const info: ModelInfo = {
    id,
    name: id,
    provider: splitId(id)[0],
    free: false,
    available: false,
    unavailable: `STONECHAT_MODEL names it, but no such provider is set up. Model ids here begin with ${known}.`,
    note: "",
    reasoning: false,
    windowTokens: null,
    prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
    source: null,
  };
  return { info, stream: createUnavailable(info) };
};

const toUnavailable = (obstacle: Sentence) => {
  const { text, sentences } = say(obstacle);
  return { unavailable: text, unavailableSentences: sentences };
};

const createUnavailable = (info: ModelInfo): Model["stream"] =>
  async function* () {
    const missing = say(sentence("model-unavailable", info.name), ...(info.unavailableSentences ?? []));
    const text = info.unavailableSentences ? missing : { text: `${missing.text} ${info.unavailable ?? ""}`.trim() };
    yield { type: "failed", failure: { code: "unavailable", fault: "settings", ...text }, isUnsent: true };
  };
