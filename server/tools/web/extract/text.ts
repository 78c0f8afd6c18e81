/** Controls, zero-width characters, bidirectional overrides, tags and selectors: they change what is read, not what is seen. */
const unseen = /[\p{Cf}\p{Variation_Selector}]|(?![\t\n\r])\p{Cc}/gu;

export const stripUnseen = (text: string): string => text.replace(unseen, "");

/** One line without unseen characters. */
export const cleanText = (text: string): string => stripUnseen(text).replace(/\s+/g, " ").trim();

const word = /[\p{L}\p{N}_]+/gu;
/** Thai, Japanese and Chinese. */
const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/g;

/** Words, where two characters of a script that is written without spaces are one word. */
export function countWords(text: string): number {
  const words = text.match(word)?.length ?? 0;
  return Math.max(words, Math.round((text.match(unspaced)?.length ?? 0) / 2));
}
