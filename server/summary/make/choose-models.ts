import type { ModelInfo } from "../../../protocol/api.ts";
import type { Models } from "../../model/model.ts";
import type { RowOf } from "../../store/schema.ts";

/** Free or cheap, and good enough at this, in the order they are tried. For threads on OpenRouter only. */
const usual = [
  "openrouter/arcee-ai/trinity-large-preview:free",
  "openrouter/deepseek/deepseek-r1-0528:free",
  "openrouter/mistralai/ministral-8b",
];

/** The cheapest model recommended for the thread's provider, if it costs less than the thread's own. */
function findCheaper(models: readonly ModelInfo[], own: ModelInfo): readonly string[] {
  const priceOf = ({ free, prices: { input, output } }: ModelInfo): number =>
    free ? 0 : input === null || output === null ? Number.POSITIVE_INFINITY : input + output;
  const [cheapest] = models
    .filter((one) => one.provider === own.provider && one.note !== "" && priceOf(one) < priceOf(own))
    .toSorted((a, b) => priceOf(a) - priceOf(b));
  return cheapest === undefined || priceOf(own) === Number.POSITIVE_INFINITY ? [] : [cheapest.id];
}

/** Test models that cannot write summaries. */
const notReal = new Set(["offline", "scripted"]);

/**
 * The models for a summary, in the order they are tried. A thread's text stays with the provider that already has it, unless the
 * operator named other models. Temporary threads and threads on a local model stay with their provider even then. Without the
 * operator's list, the cheapest models come first, and a thread on a free model only uses free models.
 */
export function chooseModels(
  models: Pick<Models, "find" | "isLocal" | "list">,
  thread: Pick<RowOf<"threads">, "model" | "temporary">,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const own = models.find(thread.model)?.info;
  // The model was removed, so it is unknown whether it was local.
  if (own === undefined) return [];
  const mustStay = thread.temporary !== 0 || models.isLocal(thread.model);
  const isAllowed = (id: string): boolean => {
    const info = models.find(id)?.info;
    if (info?.available !== true) return false;
    const isSame = info.provider === own.provider;
    if (wanted !== undefined) return isSame || !mustStay;
    return isSame && (info.free || own.free === false);
  };
  const cheap = (): readonly string[] => (mustStay ? [] : [...usual, ...findCheaper(models.list(), own)]);
  const all = wanted ?? (notReal.has(own.provider) ? [] : [...cheap(), own.id]);
  return [...new Set(all)].filter(isAllowed);
}
