import type { Provider } from "../../../protocol/settings/providers.ts";
import { toDay } from "../../lib/time.ts";
import { groupDigits } from "../../lib/format.ts";
import type { Tone } from "../../ui/badge.tsx";
import { modelSettings as strings } from "../../strings/settings/models.ts";

type State = { readonly tone: Tone; readonly text: string };

/** State of a provider in a few words. */
export function describeState({ isReady, models, lastTest, kind, key }: Provider): State {
  if (!isReady)
    return {
      tone: "quiet",
      text: kind === "server" || key !== "none" ? strings.states.noAddress : strings.states.noKey,
    };
  if (lastTest !== null && lastTest.outcome !== "ok")
    return { tone: "bad", text: strings.states.outcomes[lastTest.outcome] };
  if (models === 0) return { tone: "warn", text: strings.states.noModels };
  return { tone: "good", text: strings.states.models(models, groupDigits(models)) };
}

/** Where the key is stored, and that it is never shown again. */
export function describeKey({ key, keySetAt, variable, kind }: Provider): string {
  if (key === "environment") return strings.keys.environment(variable);
  if (key === "none") return kind === "server" ? strings.keys.optional : strings.keys.none(variable);
  return keySetAt === null ? strings.keys.stored : strings.keys.storedSince(toDay(keySetAt));
}
