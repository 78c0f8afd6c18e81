import { countTokens } from "../../server/lib/tokens.ts";
import { OUTPUT_PRICE } from "../count/prices.ts";

/**
 * The summarizer of everybody who needs a model for it: the sentences of the source that hold the most names and numbers,
 * in their order, within the tokens. It is paid as if a model had read the source and written the summary.
 */
export type StandIn = { readonly text: string; readonly cost: number };

export function summarize(source: string, tokens: number): StandIn {
  const sentences = source.split(/(?<=[.!?])\s+|\n+/).filter((one) => one.trim() !== "");
  const scored = sentences.map((text, at) => ({ text, at, score: scoreOf(text), size: countTokens(text) + 1 }));
  let left = tokens;
  const chosen = scored
    .filter(({ size }) => size <= tokens / 4)
    .toSorted((a, b) => b.score - a.score || b.at - a.at)
    .filter(({ size }) => size <= left && (left -= size) >= 0)
    .toSorted((a, b) => a.at - b.at);
  const text = chosen.map((one) => one.text).join("\n");
  return { text, cost: countTokens(source) + OUTPUT_PRICE * countTokens(text) };
}

/** Names and numbers for each word: what a reader would look for later. */
function scoreOf(sentence: string): number {
  const words = sentence.split(/\s+/);
  const telling = words.filter((word, at) => /\d/.test(word) || (at > 0 && /^[A-Z]/.test(word))).length;
  return telling / (words.length + 8);
}
