import { toIndex, toSubject } from "./score.ts";

export { findPassage, toPassageFinder, type TextRange } from "./passage.ts";
export { toIndex, type Index } from "./score.ts";

/**
 * Lexical score of each text for a question, from 0 (no word of it) to 1 (all words, in the same order). Rare words weigh more,
 * function words nothing, plurals count as singulars. Pure and the same on every machine. No synonyms, no translations.
 */
export const rank = (question: string, texts: readonly string[]): readonly number[] => toIndex(texts).score(question);

/** Whether two texts have a content word in common. */
export function sharesSubject(one: string, other: string): boolean {
  const stems = new Set(toSubject(one));
  return toSubject(other).some((stem) => stems.has(stem));
}
