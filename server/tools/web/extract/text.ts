/** Control and zero-width characters, bidirectional overrides, tag characters and variation selectors. */
const unseen = /[\p{Cf}\p{Variation_Selector}]|(?![\t\n\r])\p{Cc}/gu;

export const stripInvisible = (text: string): string => text.replace(unseen, "");

/** One line without invisible characters. */
export const cleanText = (text: string): string => stripInvisible(text).replace(/\s+/g, " ").trim();

const word = /[\p{L}\p{N}_]+/gu;
/** Thai, Japanese and Chinese. */
const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/g;

/** Counts words; in scripts without spaces, two characters count as one word. */
export function countWords(text: string): number {
  const words = text.match(word)?.length ?? 0;
  return Math.max(words, Math.round((text.match(unspaced)?.length ?? 0) / 2));
}
