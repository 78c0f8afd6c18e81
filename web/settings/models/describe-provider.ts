import type { Provider } from "../../../protocol/settings/providers.ts";
import { toDay } from "../../frame/moment.ts";
import { groupDigits } from "../../ui/group-digits.ts";
import type { Tone } from "../bits/badge.tsx";

type State = { readonly tone: Tone; readonly text: string };

/** How a provider is, in two or three words. */
export function describeState({ isReady, models, lastTest, takesAddress }: Provider): State {
  if (!isReady) return { tone: "quiet", text: takesAddress ? "No address" : "No key" };
  if (lastTest !== null && lastTest.outcome !== "ok") return { tone: "bad", text: "Does not answer" };
  if (models === 0) return { tone: "warn", text: "No models yet" };
  return { tone: "good", text: models === 1 ? "One model" : `${groupDigits(models)} models` };
}

/** Where its key is, and that nobody reads it again. */
export function describeKey({ key, keySetAt, variable, takesAddress }: Provider): string {
  if (key === "environment") return `The key comes from ${variable}, which the operator has set.`;
  if (key === "none") return takesAddress ? "Without a key." : "No key is set.";
  const since = keySetAt === null ? "" : ` since ${toDay(keySetAt)}`;
  return `A key is set${since}. It is kept sealed and is never shown again.`;
}
