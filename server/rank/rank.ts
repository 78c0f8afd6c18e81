import { toIndex, toSubject } from "./score.ts";

export { findPassage, toPassageFinder, type Passage } from "./passage.ts";
export { toIndex, type Index } from "./score.ts";

/**
 * The one lexical scorer: how much of a question is in each of some texts, from 0 (nothing of it) to 1 (all of it, side by
 * side as asked). Rare words of the set weigh more, function words nothing, a plural counts as its singular. Pure, and the
 * same on every machine. It knows no synonyms and no translations.
 */
export const rank = (question: string, texts: readonly string[]): readonly number[] => toIndex(texts).score(question);

/** Whether they have a word in common that is more than a function word. */
export function sharesSubject(one: string, other: string): boolean {
  const stems = new Set(toSubject(one));
  return toSubject(other).some((stem) => stems.has(stem));
}
