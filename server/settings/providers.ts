import { ApiError } from "../../protocol/errors.ts";
import { settingsStream, userStream } from "../../protocol/ids.ts";
import type { LocalServer, Provider, ProviderId, ProviderTest } from "../../protocol/settings/providers.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { isKeyed, keyedProviders, takesAddress } from "../model/keyed-providers.ts";
import type { LiveModels, StoredList } from "../model/live-models.ts";
import { checkAddress } from "../net/check-address.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { belongsTo, findAddress, openHeaders, openKey, toOrigin, toStoredProviders, toView } from "./provider-views.ts";

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
};

type Row = RowOf<"providers">;

const MOST_TRIES = 5;
const MOST_SERVERS = 50;
/** The server of STONECHAT_COMPATIBLE_URL, and the one that 0.1.0 had. */
const OPERATORS = "compatible";

export function createProviderSettings(options: Options) {
  const { store, log, seal, models, config, clock, onError } = options;
  const { read } = store;
  const closing = new AbortController();
  let secrets: readonly { readonly name: string; readonly value: string }[] = [];
  let known = "";
  let loading: Promise<void> = Promise.resolve();

  /** Reads the rows and rebuilds the models if they changed. */
  const load = async (always: boolean): Promise<void> => {
    const rows = await read.providers();
    const next = toStoredProviders({ providers: rows, models: await read.modelSettings() }, seal, config);
    secrets = rows.flatMap((row) => {
      const key = openKey(row, seal);
      const values = [...(key ? [key] : []), ...Object.values(openHeaders(row, seal))];
      return values.map((value) => ({ name: row.provider, value }));
    });
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

  const view = (id: ProviderId, row: Row | undefined): Provider =>
    toView({ id, row, seal, config, models: models.list(), isProven: models.isProven(id) });

  /** Hosted providers and the operator's server always exist. */
  const getRow = async (id: ProviderId): Promise<Row | undefined> => {
    const row = await read.provider(id);
    if (row === undefined && !isKeyed(id) && id !== OPERATORS) throw new ApiError("not-found", "Not found.");
    return row;
  };

  const change = async (
    { userId }: Principal,
    id: ProviderId,
    toSet: (row: Row | undefined) => Partial<Omit<Row, "provider" | "owner" | "updated_at">>,
    isSetting = true,
  ): Promise<{ provider: Provider }> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const row = await read.provider(id);
      const set = toSet(row);
      const updated_at = Math.max(clock.now(), (row?.updated_at ?? 0) + 1);
      const write: Write = row
        ? {
            do: "update",
            table: "providers",
            set: { ...set, updated_at },
            where: { provider: id, updated_at: row.updated_at },
            expectOne: true,
          }
        : { do: "insert", table: "providers", row: { ...empty, ...set, provider: id, owner: userId, updated_at } };
      const { ok } = await log.commit({ events: toEvents(userId, isSetting), writes: [write] });
      if (!ok) continue;
      if (isSetting) await refresh();
      return { provider: view(id, await read.provider(id)) };
    }
    throw new ApiError("busy", "This provider is being changed by many requests at once. Try again in a moment.");
  };

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

    /** Keys to redact from all texts. */
    secrets: () => secrets,

    /** Rebuilds the models after a change of their settings. */
    refresh,

    list: async (): Promise<{ providers: Provider[] }> => {
      const rows = new Map((await read.providers()).map((row) => [row.provider, row]));
      const servers = [...rows.keys()].filter((id) => !isKeyed(id) && id !== OPERATORS);
      const ids = [...Object.keys(keyedProviders), ...servers, OPERATORS];
      return { providers: ids.map((id) => view(id, rows.get(id))) };
    },

    findLocal: async (): Promise<{ servers: LocalServer[] }> => {
      const [found, rows] = await Promise.all([models.findLocal(closing.signal), read.providers()]);
      const known = new Set([config.compatible?.baseUrl, ...rows.map(({ base_url }) => base_url)].map(toLoopback));
      return { servers: found.map((server) => ({ ...server, isAdded: known.has(toLoopback(server.baseUrl)) })) };
    },

    setKey: async (principal: Principal, id: ProviderId, key: string) => {
      await getRow(id);
      return change(principal, id, (row) => {
        const baseUrl = takesAddress(id) ? findAddress(id, row, config) : undefined;
        if (!isKeyed(id) && !baseUrl) {
          throw new ApiError("conflict", "Set the server's address first. A key is stored for one address only.");
        }
        const key_origin = baseUrl ? toOrigin(baseUrl) : null;
        return { sealed: seal.encrypt(key), key_at: clock.now(), key_origin, test: null };
      });
    },

    removeKey: async (principal: Principal, id: ProviderId) => {
      await getRow(id);
      return change(principal, id, (row) => ({
        sealed: null,
        key_at: null,
        // Headers still belong to it.
        ...(row?.sealed_headers ? {} : { key_origin: null }),
        test: null,
      }));
    },

    setAddress: async (principal: Principal, id: ProviderId, address: Address) => {
      assertTakesAddress(id);
      const { baseUrl, models: names, label, headers } = address;
      const fault = await checkAddress(baseUrl, options.allowPrivate);
      if (fault !== undefined) throw new ApiError("invalid", `${fault} ${toHint(baseUrl)}`);
      const rows = await read.providers();
      const isNew = !rows.some(({ provider }) => provider === id);
      if (isNew && rows.length >= MOST_SERVERS)
        throw new ApiError("conflict", `There can be at most ${MOST_SERVERS} servers. Remove one first.`);
      const set = { base_url: baseUrl.replace(/(?<!\/)\/+$/, ""), models: JSON.stringify(names), test: null };
      return change(principal, id, (row) => ({
        ...set,
        ...(row && dropSecretsOfOther(row, config, baseUrl)),
        ...(label === undefined ? {} : { label }),
        ...(headers === undefined ? {} : toHeaders(headers, seal, baseUrl)),
      }));
    },

    removeAddress: async (principal: Principal, id: ProviderId) => {
      assertTakesAddress(id);
      const row = await getRow(id);
      if (isKeyed(id) || id === OPERATORS) return change(principal, id, () => ({ ...empty }));
      const gone = view(id, row);
      await log.commit({
        events: toEvents(principal.userId, true),
        writes: [{ do: "delete", table: "providers", where: { provider: id } }],
      });
      await refresh();
      return { provider: { ...gone, ...removed } };
    },

    test: async (principal: Principal, id: ProviderId) => {
      await getRow(id);
      const tested = (await models.test(id, closing.signal)) ?? {
        outcome: "no-key" as const,
        models: null,
        text: isKeyed(id) ? "No key is set. Add one first." : "No address is set. Add one first.",
      };
      const test: ProviderTest = { ...tested, at: clock.now() };
      if (test.outcome === "ok") await models.reload(id);
      const result = await change(principal, id, () => ({ test: JSON.stringify(test) }), false);
      if (test.outcome === "ok") await options.onFirst?.(principal);
      return result;
    },

    /** Stores a model list, so that it is known after a restart. */
    keepList: async (provider: string, list: StoredList): Promise<void> => {
      const row = { key: toListKey(provider), value: JSON.stringify(list) };
      await log.commit({ events: [], writes: [{ do: "put", table: "meta", row }] });
    },
  };
}

type Address = {
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly label?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

const toEvents = (userId: string, isSetting: boolean) => {
  const event = { type: "providers-changed" as const };
  return [...(isSetting ? [{ stream: settingsStream, event } as const] : []), { stream: userStream(userId), event }];
};

const toListKey = (provider: string): string => `models:${provider}`;

async function readLists(read: Store["read"], rows: readonly Row[]): Promise<ReadonlyMap<string, StoredList>> {
  const ids = [...new Set([...Object.keys(keyedProviders), OPERATORS, ...rows.map(({ provider }) => provider)])];
  const values = await Promise.all(ids.map(async (id) => [id, await read.meta(toListKey(id))] as const));
  return new Map(
    values.flatMap(([id, value]) => (value === undefined ? [] : [[id, JSON.parse(value) as StoredList] as const])),
  );
}

/** The same server under another name of this machine. */
const toLoopback = (url: string | null | undefined): string | undefined =>
  url?.replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/])/, "$1127.0.0.1");

const toHint = (baseUrl: string): string => {
  const at = URL.canParse(baseUrl) ? new URL(baseUrl).host : "host:port";
  return `For a server in your own network, add model=${at} to STONECHAT_ALLOW_PRIVATE, or set STONECHAT_COMPATIBLE_URL=${URL.canParse(baseUrl) ? baseUrl : "http://host:port/v1"} and restart Stonechat.`;
};

const toHeaders = (headers: Readonly<Record<string, string>>, seal: Seal, baseUrl: string): Partial<Row> =>
  Object.keys(headers).length === 0
    ? { sealed_headers: null }
    : { sealed_headers: seal.encrypt(JSON.stringify(headers)), key_origin: toOrigin(baseUrl) };

/** `key_origin` stays, so that the view can say which key was removed. */
function dropSecretsOfOther(row: Row, config: Config["models"], baseUrl: string): Partial<Row> {
  if ((row.sealed === null && row.sealed_headers === null) || belongsTo(row, baseUrl)) return {};
  // The operator's address is in use, and the key may be for that address.
  if (row.provider === OPERATORS && config.compatible !== undefined) return {};
  const key_origin = row.key_origin ?? (row.base_url && toOrigin(row.base_url));
  return { sealed: null, key_at: null, sealed_headers: null, key_origin };
}

const empty = {
  sealed: null,
  key_at: null,
  key_origin: null,
  base_url: null,
  models: "[]",
  test: null,
  label: null,
  sealed_headers: null,
} as const;

/** The view of a removed server. */
const removed = {
  key: "none",
  keySetAt: null,
  address: "none",
  baseUrl: null,
  modelNames: [],
  headers: [],
  isReady: false,
  models: 0,
  note: null,
  lastTest: null,
  isProven: false,
} as const satisfies Partial<Provider>;

function assertTakesAddress(id: ProviderId): void {
  if (!takesAddress(id)) throw new ApiError("invalid", "The address of this provider cannot be set.");
  if (reserved.has(id)) throw new ApiError("invalid", `The id "${id}" is reserved. Choose another name.`);
}

const reserved: ReadonlySet<string> = new Set(["offline", "scripted", "search", "none"]);
