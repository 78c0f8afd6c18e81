import type { SummaryFields } from "../../../protocol/context/summary.ts";
import { splitSentences } from "../../lib/split-sentences.ts";
import { countTokens } from "../../lib/tokens.ts";
import { renderSummary } from "../render-summary.ts";

/** Merges summaries without a model. The first sentence of each stays; the rest is added within the budget. */
export function mergeFields(all: readonly SummaryFields[], budgetTokens: number): SummaryFields {
  const overviews = all.map(({ overview }) => splitSentences(overview).map(({ text }) => text));
  const first = overviews.flatMap((sentences) => sentences.slice(0, 1));
  const merged: SummaryFields = {
    overview: first.join(" "),
    keyPoints: [...overviews.flatMap((sentences) => sentences.slice(1)), ...all.flatMap(({ keyPoints }) => keyPoints)],
    decisions: all.flatMap(({ decisions }) => decisions),
    actionItems: all.flatMap(({ actionItems }) => actionItems),
    // An older question is still open only if the newest summary lists it.
    openQuestions: all.at(-1)?.openQuestions ?? [],
    toolResults: all.flatMap(({ toolResults }) => toolResults),
  };
  return boundFields(merged, budgetTokens);
}

type List = Exclude<keyof SummaryFields, "overview">;

/** The order in which lists are shortened. */
const order: readonly List[] = ["toolResults", "keyPoints", "openQuestions", "actionItems", "decisions"];

/** Removes entries until the fields fit: from the least important list first, each down to `KEPT`; then sentences of the overview. */
export function boundFields(fields: SummaryFields, budgetTokens: number): SummaryFields {
  let bounded = unique(fields);
  const isFit = (): boolean => countTokens(renderSummary({ fields: bounded, isUntrusted: false })) <= budgetTokens;
  while (!isFit()) {
    const list =
      order.find((name) => bounded[name].length > KEPT[name]) ?? order.find((name) => bounded[name].length > 0);
    if (list) {
      bounded = { ...bounded, [list]: dropOne<unknown>(bounded[list]) };
      continue;
    }
    const sentences = splitSentences(bounded.overview).map(({ text }) => text);
    if (sentences.length <= 1) return bounded;
    bounded = { ...bounded, overview: sentences.filter((_, at) => at !== sentences.length >> 1).join(" ") };
  }
  return bounded;
}

/** A list keeps this many entries while any other list has more than its number. */
const KEPT: Readonly<Record<List, number>> = {
  toolResults: 2,
  keyPoints: 5,
  openQuestions: 2,
  actionItems: 4,
  decisions: 6,
};

/** Removes from the middle, because the first and last entries are the most useful. */
const dropOne = <T>(list: readonly T[]): readonly T[] => list.filter((_, at) => at !== (list.length - 1) >> 1);

const unique = (fields: SummaryFields): SummaryFields => {
  const texts = (list: readonly string[]): readonly string[] => [...new Set(list)];
  return {
    ...fields,
    keyPoints: texts(fields.keyPoints),
    decisions: texts(fields.decisions),
    openQuestions: texts(fields.openQuestions),
  };
};
