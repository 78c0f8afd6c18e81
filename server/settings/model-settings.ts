import type { Body, Response } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { settingsStream, userStream } from "../../protocol/ids.ts";
import { noAudit, type PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { LiveModels } from "../model/live-models.ts";
import { forgetWindow } from "../run/learned-windows.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

/** The default model, favorites, and the window and sampling that users set. They apply to every node at once. */
export type ModelSettingsStore = ReturnType<typeof createModelSettings>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly models: LiveModels;
  readonly config: Config["models"];
  readonly clock: Clock;
  /** Rebuilds the models from the stored settings. */
  readonly onChanged: () => Promise<void>;
  readonly planAudit?: PlanAudit;
};

type Row = RowOf<"model_settings">;
type Change = Body<"changeModel">;

/** More than anyone sets by hand. */
const MOST_ROWS = 2_000;

export function createModelSettings(options: Options) {
  const { log, models, config, clock, onChanged, planAudit = noAudit } = options;
  const { read } = options.store;
  const commit = async ({ userId }: Principal, writes: readonly Write[]): Promise<void> => {
    const event = { type: "providers-changed" as const };
    await log.commit({
      events: [
        { stream: settingsStream, event },
        { stream: userStream(userId), event },
      ],
      writes,
    });
    await onChanged();
  };

  const assertCanBeDefault = (id: string): void => {
    const model = models.find(id)?.info;
    if (config.defaultModel !== undefined)
      throw new ApiError(
        "conflict",
        `The operator has set the default model in STONECHAT_MODEL: ${config.defaultModel}.`,
      );
    if (!model?.available)
      throw new ApiError("conflict", `${model?.name ?? id} is not available. ${model?.unavailable ?? ""}`.trim());
    if (model.provider === "offline" || model.provider === "scripted" || models.isProven(model.provider)) return;
    throw new ApiError("conflict", `${model.name} cannot be the default: its provider was not reached. Test it first.`);
  };

  return {
    change: async (
      principal: Principal,
      { id, forgetsLearnedWindow, ...change }: Change,
    ): Promise<Response<"changeModel">> => {
      if (!models.find(id)) throw new ApiError("not-found", "Not found.");
      if (change.isDefault) assertCanBeDefault(id);
      const rows = await read.modelSettings();
      const row = rows.find(({ model }) => model === id);
      if (row === undefined && rows.length >= MOST_ROWS)
        throw new ApiError("conflict", "Too many models have settings. Reset some first.");
      await commit(principal, [
        ...(change.isDefault ? [clearDefault] : []),
        // The window that the user sets now is newer than what a rejection has taught.
        ...(forgetsLearnedWindow || typeof change.windowTokens === "number" ? [forgetWindow(id)] : []),
        { do: "put", table: "model_settings", row: toRow(id, row, change, { principal, now: clock.now() }) },
        ...planAudit({
          action: "model-changed",
          actor: principal,
          detail: { model: id, changed: Object.keys(change) },
        }),
      ]);
      const model = models.find(id)?.info;
      if (!model) throw new ApiError("not-found", "Not found.");
      return { model };
    },

    /** The first provider that works supplies the default, which then stays until a user changes it. */
    keepDefault: async (principal: Principal): Promise<void> => {
      if (config.defaultModel !== undefined) return;
      const rows = await read.modelSettings();
      if (rows.some(({ is_default, model }) => is_default !== 0 && models.find(model)?.info.available)) return;
      const id = models.defaultId;
      const provider = models.find(id)?.info.provider;
      if (provider === undefined || provider === "offline" || provider === "scripted") return;
      const row = rows.find(({ model }) => model === id);
      const next = toRow(id, row, { isDefault: true }, { principal, now: clock.now() });
      await commit(principal, [
        clearDefault,
        { do: "put", table: "model_settings", row: next },
        ...planAudit({ action: "model-changed", actor: principal, detail: { model: id, changed: ["isDefault"] } }),
      ]);
    },
  };
}

const clearDefault: Write = { do: "update", table: "model_settings", set: { is_default: 0 }, where: { is_default: 1 } };

type By = { readonly principal: Principal; readonly now: number };

const toFlag = (value: boolean | null): number | null => (value === null ? null : Number(value));

const toRow = (
  model: string,
  row: Row | undefined,
  change: Omit<Change, "id" | "forgetsLearnedWindow">,
  { principal, now }: By,
): Row => ({
  model,
  owner: row?.owner ?? principal.userId,
  is_default: change.isDefault ? 1 : (row?.is_default ?? 0),
  favorite: change.favorite === undefined ? (row?.favorite ?? 0) : Number(change.favorite),
  window_tokens: change.windowTokens === undefined ? (row?.window_tokens ?? null) : change.windowTokens,
  temperature: change.temperature === undefined ? (row?.temperature ?? null) : change.temperature,
  top_p: change.topP === undefined ? (row?.top_p ?? null) : change.topP,
  vision: change.vision === undefined ? (row?.vision ?? null) : toFlag(change.vision),
  updated_at: now,
});
