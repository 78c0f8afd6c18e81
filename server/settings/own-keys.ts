import { ApiError } from "../../protocol/errors.ts";
import { settingsStream, userStream } from "../../protocol/ids.ts";
import { say, sentence } from "../../protocol/sentences.ts";
import type { OwnProvider } from "../../protocol/settings/own-keys.ts";
import type { ProviderTest } from "../../protocol/settings/providers.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { keyedProviders, ownKeyProviders, takesOwnKey, type OwnKeyProvider } from "../model/keyed-providers.ts";
import type { LiveModels, OwnKeys } from "../model/live-models.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { findAddress, open, toOrigin } from "./provider-views.ts";

type Row = RowOf<"own_keys">;

/** Key in `meta`; `off`: own keys are not used. */
const ALLOWED = "own-keys";

export const areOwnKeysAllowed = async (read: Pick<Reads, "meta">): Promise<boolean> =>
  (await read.meta(ALLOWED)) !== "off";

type Problem = OwnProvider["problem"];

/** A key is used only for the address that it was stored for. */
function openOwn(row: Row, seal: Seal, config: Config["models"]): { key: string | null; problem: Problem } {
  if (!takesOwnKey(row.provider)) return { key: null, problem: null };
  if (row.key_origin !== toKeyOrigin(row.provider, config)) return { key: null, problem: "other-address" };
  const key = open(row.sealed, seal) ?? null;
  return { key, problem: key === null ? "unreadable" : null };
}

function toKeyOrigin(provider: OwnKeyProvider, config: Config["models"]): string | null {
  const address = findAddress(provider, undefined, config);
  return address === undefined ? null : toOrigin(address);
}

/** Usable keys of all users, for the models. */
export function toOwnKeys(rows: readonly Row[], seal: Seal, config: Config["models"]): ReadonlyMap<string, OwnKeys> {
  const usable = rows.flatMap((row) => {
    const { key } = openOwn(row, seal, config);
    return key === null ? [] : [{ row, key }];
  });
  return new Map(
    [...Map.groupBy(usable, ({ row }) => row.owner)].map(([owner, list]) => [
      owner,
      {
        keys: Object.fromEntries(list.map(({ row, key }) => [row.provider, key])),
        proven: list.flatMap(({ row: { provider, test } }) =>
          takesOwnKey(provider) && toTest(test)?.outcome === "ok" ? [provider] : [],
        ),
      },
    ]),
  );
}

/** Stored keys as values to redact, also those that are not used. */
export const listOwnSecrets = (rows: readonly Row[], seal: Seal): readonly { name: string; value: string }[] =>
  rows.flatMap(({ provider, sealed }) => {
    const value = open(sealed, seal);
    return value ? [{ name: provider, value }] : [];
  });

type Options = {
  readonly read: Pick<Reads, "ownKeysOf" | "meta">;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
  readonly models: Pick<LiveModels, "list" | "forUser" | "testOwn">;
  readonly config: Config["models"];
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  readonly hasAccounts: boolean;
  readonly refresh: () => Promise<void>;
  /** Ends running tests. */
  readonly signal: AbortSignal;
};

/** Users' own keys of providers. They are sealed like the keys of this server, and no other user's calls are made with them. */
export function createOwnKeySettings(options: Options) {
  const { read, log, seal, models, config, clock, planAudit, hasAccounts, refresh, signal } = options;

  const assertAccounts = (): void => {
    if (!hasAccounts)
      throw new ApiError("invalid", "Own keys need a server with accounts. Add the key in the settings.");
  };
  const assertAllowed = async (): Promise<void> => {
    if (await areOwnKeysAllowed(read)) return;
    throw new ApiError("forbidden", "An admin of this server has turned off own keys. Ask an admin to allow them.");
  };
  const getProvider = (id: string): OwnKeyProvider => {
    if (takesOwnKey(id)) return id;
    throw new ApiError("not-found", "Not found.");
  };

  const toView = (userId: string, id: OwnKeyProvider, row: Row | undefined, isAllowed: boolean): OwnProvider => {
    const { key, problem } = row ? openOwn(row, seal, config) : { key: null, problem: null };
    const isUsed = isAllowed && key !== null;
    const hasServerKey = models.list().some(({ provider, available }) => provider === id && available);
    return {
      id,
      label: keyedProviders[id].label,
      applies: isUsed ? "own" : hasServerKey ? "server" : "none",
      hasOwnKey: row !== undefined,
      keySetAt: row?.key_at ?? null,
      models: models
        .forUser(userId)
        .list()
        .filter(({ provider, available }) => provider === id && available).length,
      problem,
      lastTest: toTest(row?.test ?? null),
    };
  };

  const readOne = async (userId: string, id: OwnKeyProvider): Promise<{ provider: OwnProvider }> => {
    const [rows, isAllowed] = await Promise.all([read.ownKeysOf(userId), areOwnKeysAllowed(read)]);
    const row = rows.find(({ provider }) => provider === id);
    return { provider: toView(userId, id, row, isAllowed) };
  };

  /** Every process loads the keys again. */
  const commit = async (userId: string, writes: readonly Write[]): Promise<void> => {
    const event = { type: "providers-changed" as const };
    await log.commit({
      events: [
        { stream: settingsStream, event },
        { stream: userStream(userId), event },
      ],
      writes,
    });
    await refresh();
  };

  return {
    list: async ({ userId }: Principal): Promise<{ allowed: boolean; providers: OwnProvider[] }> => {
      assertAccounts();
      const [rows, allowed] = await Promise.all([read.ownKeysOf(userId), areOwnKeysAllowed(read)]);
      const stored = new Map(rows.map((row) => [row.provider, row]));
      return { allowed, providers: ownKeyProviders.map((id) => toView(userId, id, stored.get(id), allowed)) };
    },

    /** Providers whose last test with the user's key failed, and providers for which the user's key is used. */
    listTested: async (userId: string): Promise<{ failing: ReadonlySet<string>; own: ReadonlySet<string> }> => {
      const rows = hasAccounts && (await areOwnKeysAllowed(read)) ? await read.ownKeysOf(userId) : [];
      const used = rows.filter((row) => openOwn(row, seal, config).key !== null);
      const failing = used.filter(({ test }) => (toTest(test)?.outcome ?? "ok") !== "ok");
      return {
        failing: new Set(failing.map(({ provider }) => provider)),
        own: new Set(used.map(({ provider }) => provider)),
      };
    },

    setKey: async (principal: Principal, provider: string, key: string) => {
      assertAccounts();
      const id = getProvider(provider);
      await assertAllowed();
      const { userId } = principal;
      const row: Row = {
        ...{ owner: userId, provider: id, sealed: seal.encrypt(key), key_at: clock.now() },
        ...{ key_origin: toKeyOrigin(id, config), test: null },
      };
      await commit(userId, [
        { do: "put", table: "own_keys", row },
        ...planAudit({ action: "own-key-set", actor: principal, target: userId, detail: { provider: id } }),
      ]);
      return readOne(userId, id);
    },

    removeKey: async (principal: Principal, provider: string) => {
      assertAccounts();
      const id = getProvider(provider);
      const { userId } = principal;
      await commit(userId, [
        { do: "delete", table: "own_keys", where: { owner: userId, provider: id } },
        ...planAudit({ action: "own-key-removed", actor: principal, target: userId, detail: { provider: id } }),
      ]);
      return readOne(userId, id);
    },

    test: async (principal: Principal, provider: string) => {
      assertAccounts();
      const id = getProvider(provider);
      await assertAllowed();
      const { userId } = principal;
      const [row] = (await read.ownKeysOf(userId)).filter((one) => one.provider === id);
      const tested = (await models.testOwn(userId, id, signal)) ?? {
        outcome: "no-key" as const,
        models: null,
        ...say(sentence("test-key-missing")),
      };
      const test: ProviderTest = { ...tested, at: clock.now() };
      if (test.outcome === "ok") await models.forUser(userId).reload(id);
      // Only if it is still the key that was tested.
      const where = { owner: userId, provider: id, sealed: row?.sealed ?? "" };
      await commit(userId, [{ do: "update", table: "own_keys", set: { test: JSON.stringify(test) }, where }]);
      return readOne(userId, id);
    },

    setAllowed: async (principal: Principal, allowed: boolean): Promise<{ allowed: boolean }> => {
      assertAccounts();
      await commit(principal.userId, [
        { do: "put", table: "meta", row: { key: ALLOWED, value: allowed ? "on" : "off" } },
        ...planAudit({ action: allowed ? "own-keys-allowed" : "own-keys-refused", actor: principal }),
      ]);
      return { allowed };
    },
  };
}

const toTest = (test: string | null): ProviderTest | null =>
  test === null ? null : (JSON.parse(test) as ProviderTest);
