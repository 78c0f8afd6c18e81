import { ApiError } from "../../protocol/errors.ts";
import { settingsStream, userStream } from "../../protocol/ids.ts";
import type { Provider, ProviderId } from "../../protocol/settings/providers.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { isKeyed } from "../model/keyed-providers.ts";
import type { LiveModels } from "../model/live-models.ts";
import type { Write, Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toView } from "./provider-views.ts";

const MOST_TRIES = 5;
/** The server of STONECHAT_COMPATIBLE_URL, and the one that 0.1.0 had. */
export const OPERATORS = "compatible";

type Row = RowOf<"providers">;

type Options = {
  readonly read: Pick<Reads, "provider">;
  readonly log: Pick<Log, "commit">;
  readonly seal: Seal;
  readonly models: Pick<LiveModels, "list" | "isProven">;
  readonly config: Config["models"];
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  /** Called when a setting has changed. */
  readonly refresh: () => Promise<void>;
};

/** Rows of providers: their views, and changes of one of them. */
export type ProviderRows = ReturnType<typeof createProviderRows>;

export function createProviderRows({ read, log, seal, models, config, clock, planAudit, refresh }: Options) {
  const view = (id: ProviderId, row: Row | undefined): Provider =>
    toView({ id, row, seal, config, models: models.list(), isProven: models.isProven(id) });

  /** Hosted providers and the operator's server always exist. */
  const getRow = async (id: ProviderId): Promise<Row | undefined> => {
    const row = await read.provider(id);
    if (row === undefined && !isKeyed(id) && id !== OPERATORS) throw new ApiError("not-found", "Not found.");
    return row;
  };

  const change = async (
    principal: Principal,
    id: ProviderId,
    toSet: (row: Row | undefined) => Partial<Omit<Row, "provider" | "owner" | "updated_at">>,
    isSetting = true,
  ): Promise<{ provider: Provider }> => {
    const { userId } = principal;
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
        : {
            do: "insert",
            table: "providers",
            row: { ...emptyProvider, ...set, provider: id, owner: userId, updated_at },
          };
      const detail = { provider: id, changed: Object.keys(set) };
      const audit = isSetting ? planAudit({ action: "provider-changed", actor: principal, detail }) : [];
      const { ok } = await log.commit({ events: toEvents(userId, isSetting), writes: [write, ...audit] });
      if (!ok) continue;
      if (isSetting) await refresh();
      return { provider: view(id, await read.provider(id)) };
    }
    throw new ApiError("busy", "This provider is being changed by many requests at once. Try again in a moment.");
  };

  return { view, getRow, change };
}

/** `isSetting`: the change concerns every process, and not only the user's pages. */
export const toEvents = (userId: string, isSetting: boolean) => {
  const event = { type: "providers-changed" as const };
  return [...(isSetting ? [{ stream: settingsStream, event } as const] : []), { stream: userStream(userId), event }];
};

/** A provider without settings. */
export const emptyProvider = {
  sealed: null,
  key_at: null,
  key_origin: null,
  base_url: null,
  models: "[]",
  test: null,
  label: null,
  sealed_headers: null,
} as const;
