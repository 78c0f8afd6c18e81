import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import type { Preferences } from "../../protocol/settings/preferences.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Store, Write } from "../store/contract.ts";
import { PREFERENCES_VERSION, toPreferences } from "../store/parse-rows.ts";

export type PreferenceSettings = ReturnType<typeof createPreferenceSettings>;

type Options = { readonly store: Store; readonly log: Log; readonly clock: Clock };

/** How often a change is tried again because another one was committed at the same time. */
const MAX_TRIES = 5;

export function createPreferenceSettings({ store, log, clock }: Options) {
  const { read } = store;
  return {
    get: async ({ userId }: Principal): Promise<{ preferences: Preferences }> => ({
      preferences: toPreferences(await read.preferences(userId)),
    }),

    /** Fields that are not given keep their value. */
    set: async ({ userId: owner }: Principal, patch: Body<"setPreferences">): Promise<{ preferences: Preferences }> => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const row = await read.preferences(owner);
        const preferences = merge(toPreferences(row), patch);
        const version = (row?.version ?? 0) + 1;
        const set = { v: PREFERENCES_VERSION, version, body: JSON.stringify(preferences), updated_at: clock.now() };
        const write: Write = row
          ? { do: "update", table: "preferences", set, where: { owner, version: row.version }, expectOne: true }
          : { do: "insert", table: "preferences", row: { owner, ...set } };
        const events = [{ stream: userStream(owner), event: { type: "preferences-changed" as const } }];
        if ((await log.commit({ events, writes: [write] })).ok) return { preferences };
      }
      throw new ApiError("conflict", "Your settings were changed by other requests at the same time. Try again.");
    },
  };
}

const merge = (before: Preferences, patch: Body<"setPreferences">): Preferences => ({
  titles: patch.titles ?? before.titles,
  memory: patch.memory ?? before.memory,
  instructions: patch.instructions ?? before.instructions,
  disabledTools: patch.disabledTools ? [...new Set(patch.disabledTools)].toSorted() : before.disabledTools,
  timeZone: patch.timeZone === undefined ? before.timeZone : patch.timeZone,
});
