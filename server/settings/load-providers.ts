import type { Config } from "../config/config.ts";
import type { Seal } from "../lib/seal.ts";
import { keyedProviders } from "../model/keyed-providers.ts";
import type { LiveModels, StoredList } from "../model/live-models.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { areOwnKeysAllowed, listOwnSecrets, toOwnKeys } from "./own-keys.ts";
import { OPERATORS } from "./provider-rows.ts";
import { openHeaders, openKey, toStoredProviders } from "./provider-views.ts";

type Row = RowOf<"providers">;

type Options = {
  readonly read: Pick<Reads, "providers" | "modelSettings" | "meta" | "ownKeys">;
  readonly seal: Seal;
  readonly models: Pick<LiveModels, "use" | "useOwnKeys">;
  readonly config: Config["models"];
  readonly hasAccounts: boolean;
};

/** Reads the stored providers and rebuilds the models from them. */
export function createProviderLoading({ read, seal, models, config, hasAccounts }: Options) {
  let secrets: readonly { readonly name: string; readonly value: string }[] = [];
  let known = "";
  let loading: Promise<void> = Promise.resolve();

  /** Reads the rows and rebuilds the models if they changed. */
  const load = async (always: boolean): Promise<void> => {
    const rows = await read.providers();
    const own = hasAccounts ? await read.ownKeys() : [];
    const next = toStoredProviders({ providers: rows, models: await read.modelSettings() }, seal, config);
    const serverSecrets = rows.flatMap((row) => {
      const key = openKey(row, seal);
      const values = [...(key ? [key] : []), ...Object.values(openHeaders(row, seal))];
      return values.map((value) => ({ name: row.provider, value }));
    });
    secrets = [...serverSecrets, ...listOwnSecrets(own, seal)];
    models.useOwnKeys(toOwnKeys(hasAccounts && (await areOwnKeysAllowed(read)) ? own : [], seal, config));
    const fingerprint = JSON.stringify(next);
    if (fingerprint === known && !always) return;
    known = fingerprint;
    models.use(next, await readLists(read, rows));
  };
  /** One at a time: an earlier read never replaces a later one. */
  const refresh = (always = false): Promise<void> => {
    loading = loading.then(
      () => load(always),
      () => load(always),
    );
    return loading;
  };

  return {
    /** Keys to redact from all texts. */
    secrets: () => secrets,

    /** Rebuilds the models after a change of their settings. */
    refresh,
  };
}

export const toListKey = (provider: string): string => `models:${provider}`;

async function readLists(read: Pick<Reads, "meta">, rows: readonly Row[]): Promise<ReadonlyMap<string, StoredList>> {
  const ids = [...new Set([...Object.keys(keyedProviders), OPERATORS, ...rows.map(({ provider }) => provider)])];
  const values = await Promise.all(ids.map(async (id) => [id, await read.meta(toListKey(id))] as const));
  return new Map(
    values.flatMap(([id, value]) => (value === undefined ? [] : [[id, JSON.parse(value) as StoredList] as const])),
  );
}
