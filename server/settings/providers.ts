import { ApiError } from "../../protocol/errors.ts";
import { settingsStream, userStream } from "../../protocol/ids.ts";
import type { Provider, ProviderId, ProviderTest } from "../../protocol/settings/providers.ts";
import { providerIds } from "../../protocol/settings/providers.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { LiveModels } from "../model/live-models.ts";
import { checkAddress } from "../net/check-address.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { belongsTo, openKey, toStoredProvider, toOrigin, toView } from "./provider-views.ts";

/**
 * Keys and addresses of providers. Views contain no secrets. A change takes effect at once in every process. Keys are sealed
 * before they are stored, and the operator's environment takes precedence. The key of the compatible server belongs to its
 * address (scheme, host and port) and is never sent to another one.
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
};

type Row = RowOf<"providers">;

const MOST_TRIES = 5;

export function createProviderSettings(options: Options) {
  const { store, log, seal, models, config, clock, onError } = options;
  const { read } = store;
  const closing = new AbortController();
  let secrets: readonly { readonly name: string; readonly value: string }[] = [];
  let known = "";

  /** Reads the rows and rebuilds the models if they changed. */
  const refresh = async (always = false): Promise<void> => {
    const rows = await read.providers();
    const next = toStoredProvider(rows, seal, config.compatible?.baseUrl);
    secrets = rows.flatMap((row) => {
      const value = openKey(row, seal);
      return value ? [{ name: row.provider, value }] : [];
    });
    const fingerprint = JSON.stringify(next);
    if (fingerprint === known && !always) return;
    known = fingerprint;
    models.use(next);
  };

  const view = (id: ProviderId, row: Row | undefined): Provider =>
    toView({ id, row, key: openKey(row, seal), config, models: models.list() });

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
      const event = { type: "providers-changed" as const };
      const { ok } = await log.commit({
        events: [
          ...(isSetting ? [{ stream: settingsStream, event } as const] : []),
          { stream: userStream(userId), event },
        ],
        writes: [write],
      });
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

    list: async (): Promise<{ providers: Provider[] }> => {
      const rows = new Map((await read.providers()).map((row) => [row.provider, row]));
      return { providers: providerIds.map((id) => view(id, rows.get(id))) };
    },

    setKey: (principal: Principal, id: ProviderId, key: string) =>
      change(principal, id, (row) => {
        const baseUrl = id === "compatible" ? (config.compatible?.baseUrl ?? row?.base_url) : undefined;
        if (id === "compatible" && !baseUrl) {
          throw new ApiError("conflict", "Set the server's address first. A key is stored for one address only.");
        }
        const key_origin = baseUrl ? toOrigin(baseUrl) : null;
        return { sealed: seal.encrypt(key), key_at: clock.now(), key_origin, test: null };
      }),

    removeKey: (principal: Principal, id: ProviderId) =>
      change(principal, id, () => ({ sealed: null, key_at: null, key_origin: null, test: null })),

    setAddress: async (
      principal: Principal,
      id: ProviderId,
      { baseUrl, models: names }: { readonly baseUrl: string; readonly models: readonly string[] },
    ) => {
      assertTakesAddress(id);
      const fault = await checkAddress(baseUrl, options.allowPrivate);
      if (fault !== undefined) {
        const hint =
          "For a server in your own network, add model=host:port to STONECHAT_ALLOW_PRIVATE, or set STONECHAT_COMPATIBLE_URL.";
        throw new ApiError("invalid", `${fault} ${hint}`);
      }
      const set = { base_url: baseUrl.replace(/(?<!\/)\/+$/, ""), models: JSON.stringify(names), test: null };
      return change(principal, id, (row) => ({ ...set, ...(row && dropKeyOfOther(row, config, baseUrl)) }));
    },

    removeAddress: (principal: Principal, id: ProviderId) => {
      assertTakesAddress(id);
      return change(principal, id, () => ({ ...empty }));
    },

    test: async (principal: Principal, id: ProviderId) => {
      const tested = (await models.test(id, closing.signal)) ?? {
        outcome: "no-key" as const,
        models: null,
        text: id === "compatible" ? "No address is set. Add one first." : "No key is set. Add one first.",
      };
      const test: ProviderTest = { ...tested, at: clock.now() };
      // The server may have been unreachable when its models were listed.
      if (test.outcome === "ok" && !models.list().some(({ provider, available }) => provider === id && available)) {
        await refresh(true);
      }
      return change(principal, id, () => ({ test: JSON.stringify(test) }), false);
    },
  };
}

/** `key_origin` stays, so that the view can say which key was removed. */
function dropKeyOfOther(row: Row, config: Config["models"], baseUrl: string): Partial<Row> {
  // The operator's address is in use, and the key may be for that address.
  if (row.sealed === null || config.compatible !== undefined || belongsTo(row, baseUrl)) return {};
  return { sealed: null, key_at: null, key_origin: row.key_origin ?? (row.base_url && toOrigin(row.base_url)) };
}

const empty = { sealed: null, key_at: null, key_origin: null, base_url: null, models: "[]", test: null } as const;

function assertTakesAddress(id: ProviderId): void {
  if (id === "compatible") return;
  throw new ApiError("invalid", "Only the OpenAI-compatible server has an address to set.");
}
