import type { ModelInfo } from "../../protocol/api.ts";
import type { Clock } from "../lib/clock.ts";
import { chooseDefault } from "./choose-default.ts";
import { rankFallbacks } from "./fallback.ts";
import { takesOwnKey, type OwnKeyProvider } from "./keyed-providers.ts";
import type { Models } from "./model.ts";
import { listServers, type ModelsConfig } from "./models-config.ts";
import { createModels, splitId, type KnownList } from "./registry.ts";
import { createProviders } from "./sdk/providers.ts";
import { testProvider, type ProviderTestResult } from "./test-provider.ts";

/** A user's keys, by provider. */
export type OwnKeys = {
  readonly keys: { readonly [P in OwnKeyProvider]?: string };
  /** Providers whose last test with the user's key succeeded. */
  readonly proven: readonly OwnKeyProvider[];
};

type ServerModels = { readonly models: Models; readonly config: ModelsConfig };

type Options = {
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /** The models with this server's keys, and their configuration. Both are replaced when settings change. */
  readonly shared: () => ServerModels;
  readonly checked: ReadonlyMap<string, boolean>;
  readonly knownListings: ReadonlyMap<string, KnownList>;
  readonly forUser: (userId: string) => Models;
};

/** The state of one user. Models are created when they are first needed. */
type Entry = {
  own: OwnKeys;
  models: { readonly joined: Models; readonly close: () => void } | null;
  readonly lists: Map<string, KnownList>;
  readonly checked: Map<string, boolean>;
  readonly fresh: Set<string>;
};

/** Users whose models are kept. Others are created again, with new breakers and lists. */
const MAX_OPEN = 500;

/**
 * Models of users who have their own keys. Each user has separate providers, so that lists, breakers and failures of one key do
 * not affect other users. Providers for which the user has no key are those of the server.
 */
export function createOwnModels({ clock, fetch, shared, checked, knownListings, forUser }: Options) {
  const entries = new Map<string, Entry>();
  /** Users with created models, the latest used last. */
  const open = new Set<string>();

  const closeOne = (userId: string): void => {
    const entry = entries.get(userId);
    entry?.models?.close();
    if (entry) entry.models = null;
    open.delete(userId);
  };

  const create = (userId: string, entry: Entry): Entry["models"] => {
    const { own, lists } = entry;
    for (const [provider, list] of knownListings)
      if (takesOwnKey(provider) && own.keys[provider] && !lists.has(provider)) lists.set(provider, list);
    const models = createModels({
      config: toOwnConfig(shared().config, own),
      ...{ clock, fetch },
      knownListings: lists,
      checked: entry.checked,
      isFresh: (provider) => entry.fresh.has(provider),
      onListings: (provider, list) => {
        if (entry.own !== own) return;
        lists.set(provider, list);
        entry.fresh.add(provider);
      },
    });
    const joined = join({ own, models, shared, checkedShared: checked, checkedOwn: entry.checked, forUser });
    return { joined, close: models.close };
  };

  return {
    /** undefined if the user has no keys. */
    find: (userId: string): Models | undefined => {
      const entry = entries.get(userId);
      if (!entry) return undefined;
      entry.models ??= create(userId, entry);
      open.delete(userId);
      open.add(userId);
      const [oldest] = open;
      if (open.size > MAX_OPEN && oldest !== undefined) closeOne(oldest);
      return entry.models?.joined;
    },

    use: (byUser: ReadonlyMap<string, OwnKeys>): void => {
      for (const userId of entries.keys()) {
        if (byUser.has(userId)) continue;
        closeOne(userId);
        entries.delete(userId);
      }
      for (const [userId, own] of byUser) {
        const entry = entries.get(userId);
        if (!entry) {
          entries.set(userId, { own, models: null, lists: new Map(), checked: new Map(), fresh: new Set() });
          continue;
        }
        if (JSON.stringify(entry.own) === JSON.stringify(own)) continue;
        for (const provider of [...entry.lists.keys(), ...entry.checked.keys()]) {
          if (takesOwnKey(provider) && entry.own.keys[provider] === own.keys[provider]) continue;
          entry.lists.delete(provider);
          entry.checked.delete(provider);
          entry.fresh.delete(provider);
        }
        closeOne(userId);
        entry.own = own;
      }
    },

    /** After a change of this server's providers or models. */
    rebuild: (): void => {
      for (const userId of [...open]) closeOne(userId);
    },

    test: async (userId: string, id: OwnKeyProvider, signal: AbortSignal): Promise<ProviderTestResult | undefined> => {
      const entry = entries.get(userId);
      if (!entry?.own.keys[id]) return undefined;
      const { own } = entry;
      const provider = createProviders(toOwnConfig(shared().config, own), fetch).get(id);
      const result = provider && (await testProvider(provider, signal));
      if (result && entry.own === own) entry.checked.set(id, result.outcome === "ok");
      return result;
    },

    close: (): void => {
      for (const userId of [...open]) closeOne(userId);
    },
  };
}

/** The configuration of the server with only the user's keys. Addresses are those of the operator, to which the keys belong. */
const toOwnConfig = (config: ModelsConfig, { keys, proven }: OwnKeys): ModelsConfig => ({
  ...config,
  keys,
  proven,
  compatible: undefined,
  servers: undefined,
  scripted: undefined,
  defaultModel: undefined,
  chosenDefault: undefined,
});

type JoinOptions = {
  readonly own: OwnKeys;
  readonly models: Models;
  readonly shared: () => ServerModels;
  readonly checkedShared: ReadonlyMap<string, boolean>;
  readonly checkedOwn: ReadonlyMap<string, boolean>;
  readonly forUser: (userId: string) => Models;
};

/** The models of the user's own keys in place of the server's, for the same providers. */
function join({ own, models, shared, checkedShared, checkedOwn, forUser }: JoinOptions): Models {
  const isOwn = (provider: string): boolean => takesOwnKey(provider) && Boolean(own.keys[provider]);
  const of = (id: string): Models => (isOwn(splitId(id)[0]) ? models : shared().models);

  const list = (): readonly ModelInfo[] => {
    const mine = Map.groupBy(
      models.list().filter(({ provider }) => isOwn(provider)),
      ({ provider }) => provider,
    );
    const listed = new Set<string>();
    return shared()
      .models.list()
      .flatMap((info) => {
        if (!isOwn(info.provider)) return [info];
        if (listed.has(info.provider)) return [];
        listed.add(info.provider);
        return mine.get(info.provider) ?? [];
      });
  };
  const find = (id: string) => {
    const found = of(id).find(id);
    return found && isOwn(found.info.provider) ? { ...found, usesOwnKey: true as const } : found;
  };
  return {
    list,
    find,
    isLocal: (id) => shared().models.isLocal(id),
    get defaultId() {
      const { config } = shared();
      const proven = [...(config.proven ?? []).filter((provider) => !isOwn(provider)), ...own.proven];
      const checked = new Map([...[...checkedShared].filter(([provider]) => !isOwn(provider)), ...checkedOwn]);
      return chooseDefault({ config: { ...config, proven }, models: list(), find: (id) => find(id)?.info, checked });
    },
    fallbacks: (id) => {
      const { config, models: others } = shared();
      return rankFallbacks(find(id)?.info, list(), {
        wanted: config.fallbacks,
        isLocal: others.isLocal(id),
        isServer: new Map(listServers(config)).has(splitId(id)[0]),
        find: (other) => find(other)?.info,
      });
    },
    lacksTools: (id) => of(id).lacksTools(id),
    noteNoTools: (id) => of(id).noteNoTools(id),
    refresh: async () => void (await Promise.all([shared().models.refresh(), models.refresh()])),
    reload: (provider) => (isOwn(provider) ? models : shared().models).reload(provider),
    close: () => {},
    forUser,
  };
}
