import { settingsStream } from "../../protocol/ids.ts";
import type { Provider } from "../../protocol/settings/providers.ts";
import { noAudit, type PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { isKeyed, keyedProviders } from "../model/keyed-providers.ts";
import type { LiveModels, StoredList } from "../model/live-models.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { createProviderLoading, toListKey } from "./load-providers.ts";
import { createOwnKeySettings } from "./own-keys.ts";
import { createProviderChanges } from "./provider-changes.ts";
import { OPERATORS, createProviderRows } from "./provider-rows.ts";
import { createProviderTests } from "./provider-tests.ts";
import { toTest } from "./provider-views.ts";

/**
 * Keys and addresses of providers. Views contain no secrets. A change takes effect at once in every process. Keys are sealed
 * before they are stored, and the operator's environment takes precedence. The key and the headers of a server belong to its
 * address (scheme, host and port) and are never sent to another one.
 */
export type ProviderSettings = ReturnType<typeof createProviderSettings>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly seal: Seal;
  readonly models: LiveModels;
  readonly config: Config["models"];
  /** Private addresses that the operator allowed. */
  readonly allowPrivate: readonly string[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Called when a provider works and the user has chosen no default model. */
  readonly onFirst?: (principal: Principal) => Promise<void>;
  readonly planAudit?: PlanAudit;
  /** Users can have their own keys. */
  readonly hasAccounts?: boolean;
};

export function createProviderSettings(options: Options) {
  const { store, log, seal, models, config, clock, onError, planAudit = noAudit, hasAccounts = false } = options;
  const { read } = store;
  const closing = new AbortController();
  const loading = createProviderLoading({ read, seal, models, config, hasAccounts });
  const { refresh } = loading;
  const rows = createProviderRows({ read, log, seal, models, config, clock, planAudit, refresh });
  return {
    /** Loads the settings and follows changes from every process. */
    start: async (): Promise<void> => {
      const head = (await read.heads([settingsStream])).get(settingsStream) ?? 0;
      await refresh();
      const watcher = log.watch(settingsStream, head, {
        rows: () => {
          void refresh().catch(onError);
          return true;
        },
      });
      closing.signal.addEventListener("abort", () => watcher.close());
    },
    close: (): void => closing.abort(),

    ...loading,

    list: async (): Promise<{ providers: Provider[] }> => {
      const stored = new Map((await read.providers()).map((row) => [row.provider, row]));
      const servers = [...stored.keys()].filter((id) => !isKeyed(id) && id !== OPERATORS);
      const ids = [...Object.keys(keyedProviders), ...servers, OPERATORS];
      return { providers: ids.map((id) => rows.view(id, stored.get(id))) };
    },

    /** Providers whose last test failed. */
    listFailing: async (): Promise<ReadonlySet<string>> => {
      const stored = await read.providers();
      const isFailing = (row: RowOf<"providers">) => (toTest(row)?.outcome ?? "ok") !== "ok";
      return new Set(stored.filter(isFailing).map(({ provider }) => provider));
    },

    ownKeys: createOwnKeySettings({
      ...{ read, log, seal, models, config, clock, planAudit, hasAccounts, refresh },
      signal: closing.signal,
    }),
    ...createProviderChanges({
      ...{ read, log, seal, config, clock, planAudit, rows, refresh },
      allowPrivate: options.allowPrivate,
    }),
    ...createProviderTests({ read, models, config, clock, rows, signal: closing.signal, onFirst: options.onFirst }),

    /** Stores a model list, so that it is known after a restart. */
    keepList: async (provider: string, list: StoredList): Promise<void> => {
      const row = { key: toListKey(provider), value: JSON.stringify(list) };
      await log.commit({ events: [], writes: [{ do: "put", table: "meta", row }] });
    },
  };
}
