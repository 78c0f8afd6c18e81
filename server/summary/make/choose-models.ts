import type { Models } from "../../model/model.ts";

/** Free or cheap, and good enough at this (S4-111), in the order they are tried. */
const usual = [
  "openrouter/arcee-ai/trinity-large-preview:free",
  "openrouter/deepseek/deepseek-r1-0528:free",
  "openrouter/mistralai/ministral-8b",
];

/** They quote or play; they do not write summaries. */
const notReal = new Set(["offline", "scripted"]);

/**
 * Who is asked, in turn. The operator's list goes as it stands. Without one: the usual ones that are set up here, then the
 * thread's own model; and of these none that costs money when the thread's own does not.
 */
export function chooseModels(
  models: Pick<Models, "find">,
  threadModel: string,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const isThere = (id: string): boolean => models.find(id)?.info.available === true;
  if (wanted !== undefined) return [...new Set(wanted)].filter(isThere);
  const own = models.find(threadModel)?.info;
  const isReal = own !== undefined && !notReal.has(own.provider);
  const mayCost = isReal && !own.free;
  const all = [...usual, ...(isReal ? [own.id] : [])];
  return [...new Set(all)].filter((id) => isThere(id) && (mayCost || models.find(id)?.info.free === true));
}
