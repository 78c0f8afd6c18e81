import { ApiError } from "../../protocol/errors.ts";
import type { Provider, ProviderId } from "../../protocol/settings/providers.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { isKeyed, takesAddress } from "../model/keyed-providers.ts";
import { checkAddress } from "../net/check-address.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { emptyProvider, OPERATORS, toEvents, type ProviderRows } from "./provider-rows.ts";
import { belongsTo, findAddress, toOrigin } from "./provider-views.ts";

type Row = RowOf<"providers">;

const MOST_SERVERS = 50;

type Options = {
  readonly read: Pick<Reads, "providers">;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
  readonly config: Config["models"];
  /** Private addresses that the operator allowed. */
  readonly allowPrivate: readonly string[];
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  readonly rows: ProviderRows;
  readonly refresh: () => Promise<void>;
};

/** Changes of keys, addresses and headers by admins. */
export function createProviderChanges(options: Options) {
  const { read, log, seal, config, clock, planAudit, refresh } = options;
  const { view, getRow, change } = options.rows;

  return {
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
      if (isKeyed(id) || id === OPERATORS) return change(principal, id, () => ({ ...emptyProvider }));
      const gone = view(id, row);
      await log.commit({
        events: toEvents(principal.userId, true),
        writes: [
          { do: "delete", table: "providers", where: { provider: id } },
          ...planAudit({ action: "provider-removed", actor: principal, detail: { provider: id } }),
        ],
      });
      await refresh();
      return { provider: { ...gone, ...removed } };
    },
  };
}

type Address = {
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly label?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

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
