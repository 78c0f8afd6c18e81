import type { Preferences } from "../../protocol/settings/preferences.ts";
import type { BodyInput } from "../../protocol/api.ts";
import { useState } from "react";
import { useLoad } from "../lib/use-load.ts";
import { useRequest, type RequestState } from "../lib/use-request.ts";
import { usePage } from "./page.ts";

type PreferencesState = {
  /** null: not loaded yet. */
  readonly preferences: Preferences | null;
  readonly failure: string | null;
  readonly request: RequestState;
  readonly save: (patch: BodyInput<"setPreferences">) => Promise<boolean>;
};

/** The user's settings for all threads. */
export function usePreferences(): PreferencesState {
  const { client } = usePage();
  const { state } = useLoad("preferences", (signal) => client.getPreferences({ params: {} }, signal));
  const { state: request, send } = useRequest();
  const [saved, setSaved] = useState<Preferences | null>(null);
  return {
    preferences: saved ?? (state.phase === "ready" ? state.value.preferences : null),
    failure: state.phase === "failed" ? state.text : request.name === "failed" ? request.text : null,
    request,
    save: async (patch) => {
      const answer = await send(() => client.setPreferences({ params: {}, body: patch }));
      if (answer) setSaved(answer.preferences);
      return answer !== undefined;
    },
  };
}
