import { say, sentence } from "../../protocol/sentences.ts";
import type { LocalServer, ProviderId, ProviderTest } from "../../protocol/settings/providers.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import { isKeyed } from "../model/keyed-providers.ts";
import type { LiveModels } from "../model/live-models.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { ProviderRows } from "./provider-rows.ts";

type Row = RowOf<"providers">;

type Options = {
  readonly read: Pick<Reads, "providers">;
  readonly models: Pick<LiveModels, "test" | "reload" | "findLocal" | "findsLocal">;
  readonly config: Config["models"];
  readonly clock: Clock;
  readonly rows: ProviderRows;
  /** Ends running tests. */
  readonly signal: AbortSignal;
  /** Called when a provider works. */
  readonly onFirst?: ((principal: Principal) => Promise<void>) | undefined;
};

/** Tests of providers, and the model servers of this machine. */
export function createProviderTests({ read, models, config, clock, rows, signal, onFirst }: Options) {
  const { getRow, change } = rows;

  /** Most servers have their API below /v1. An address without a path that lists no models is completed if that one works. */
  const testAddress = async (principal: Principal, id: ProviderId, row: Row | undefined) => {
    const tested = await models.test(id, signal);
    const typed = row?.base_url ?? null;
    if (tested?.outcome !== "wrong-address" || isKeyed(id) || typed === null || !isBare(typed)) return tested;
    await change(principal, id, () => ({ base_url: `${typed}/v1` }));
    const completed = await models.test(id, signal);
    if (completed?.outcome === "ok" || completed?.outcome === "refused-key") return completed;
    await change(principal, id, () => ({ base_url: typed }));
    return tested;
  };

  return {
    findLocal: async (): Promise<{ servers: LocalServer[]; allowed: boolean }> => {
      const [found, stored] = await Promise.all([models.findLocal(signal), read.providers()]);
      const known = new Set([config.compatible?.baseUrl, ...stored.map(({ base_url }) => base_url)].map(toLoopback));
      const servers = found.map((server) => ({ ...server, isAdded: known.has(toLoopback(server.baseUrl)) }));
      return { servers, allowed: models.findsLocal };
    },

    test: async (principal: Principal, id: ProviderId) => {
      const row = await getRow(id);
      const tested = (await testAddress(principal, id, row)) ?? {
        outcome: "no-key" as const,
        models: null,
        ...say(sentence(isKeyed(id) ? "test-key-missing" : "test-address-missing")),
      };
      const test: ProviderTest = { ...tested, at: clock.now() };
      if (test.outcome === "ok") await models.reload(id);
      const result = await change(principal, id, () => ({ test: JSON.stringify(test) }), false);
      if (test.outcome === "ok") await onFirst?.(principal);
      return result;
    },
  };
}

const isBare = (address: string): boolean => URL.canParse(address) && new URL(address).pathname === "/";

/** The same server under another name of this machine. */
const toLoopback = (url: string | null | undefined): string | undefined =>
  url?.replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/])/, "$1127.0.0.1");
