import type { Provider, ProviderTest } from "../../../protocol/settings/providers.ts";
import { toDay } from "../../lib/time.ts";
import { groupDigits } from "../../lib/format.ts";
import type { Tone } from "../../ui/badge.tsx";

type State = { readonly tone: Tone; readonly text: string };

const outcomeWords: Readonly<Record<Exclude<ProviderTest["outcome"], "ok">, string>> = {
  "no-key": "No key",
  "refused-key": "Key refused",
  "no-network": "Not reached",
  "wrong-address": "Wrong address",
  failed: "Does not answer",
};

/** State of a provider in a few words. */
export function describeState({ isReady, models, lastTest, takesAddress }: Provider): State {
  if (!isReady) return { tone: "quiet", text: takesAddress ? "No address" : "No key" };
  if (lastTest !== null && lastTest.outcome !== "ok") return { tone: "bad", text: outcomeWords[lastTest.outcome] };
  if (models === 0) return { tone: "warn", text: "No models yet" };
  return { tone: "good", text: models === 1 ? "One model" : `${groupDigits(models)} models` };
}

/** Where the key is stored, and that it is never shown again. */
export function describeKey({ key, keySetAt, variable, takesAddress }: Provider): string {
  if (key === "environment") return `The key comes from ${variable}, which the operator has set.`;
  if (key === "none") return takesAddress ? "Without a key." : `Add a key here, or set ${variable} on the server.`;
  const since = keySetAt === null ? "" : ` since ${toDay(keySetAt)}`;
  return `A key is set${since}. It is kept sealed and is never shown again.`;
}
