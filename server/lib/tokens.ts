import { createRequire } from "node:module";

/** Two megabytes of merges, loaded when first needed: a start does not wait for them. */
const load = (): typeof import("gpt-tokenizer/encoding/o200k_base") =>
  createRequire(import.meta.url)("gpt-tokenizer/encoding/o200k_base");
let loaded: ReturnType<typeof load> | undefined;
const count = (text: string, options: typeof plain): number => (loaded ??= load()).countTokens(text, options);

/** An unbroken run costs the tokenizer its length squared, so long ones are counted in pieces. */
const LONGEST_RUN = 1000;
const longRun = new RegExp(`[^\\s]{${LONGEST_RUN}}`, "u");

/** Tokens of a text as o200k counts them; a model's own count differs by a few in a hundred. */
export function countTokens(text: string): number {
  if (text.length < LONGEST_RUN || !longRun.test(text)) return count(text, plain);
  let total = 0;
  for (let start = 0; start < text.length; start += LONGEST_RUN) {
    total += count(text.slice(start, start + LONGEST_RUN), plain);
  }
  return total;
}

/** `<|endoftext|>` in a person's words is text like any other. */
const plain = { disallowedSpecial: new Set<string>() };
