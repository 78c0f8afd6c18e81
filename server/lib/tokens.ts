import { createRequire } from "node:module";
import type * as Tokenizer from "gpt-tokenizer/encoding/o200k_base";

/** The merge table has two megabytes; it is loaded on first use, so that it does not delay startup. */
let tokenizer: typeof Tokenizer | undefined;
const load = createRequire(import.meta.url) as (name: string) => typeof Tokenizer;
const count = (text: string, options: typeof plain): number => (tokenizer ??= open()).countTokens(text, options);
const open = (): typeof Tokenizer => {
  const opened = load("gpt-tokenizer/encoding/o200k_base");
  // The tokenizer moves a word to the end of its cache on each use. In a large cache, that takes longer than splitting
  // the word again.
  opened.setMergeCacheSize(CACHED_WORDS);
  return opened;
};
const CACHED_WORDS = 2_000;

/** The tokenizer takes quadratic time for a run of letters or spaces, so long runs are counted in pieces. */
const PIECE = 100;
const longRun = new RegExp(`\\S{${PIECE},}|\\s{${PIECE},}`, "gu");
/** Texts up to this length are counted in full; longer ones only if samples show few tokens, which is fast. */
const ALWAYS_COUNTED = 6_000;
const FEW_PER_CHARACTER = 0.3;
const SAMPLES = 16;
const SAMPLE = 256;
/** Longer texts are counted up to here and extrapolated, so that no text blocks the process. */
const COUNTED = 100_000;

/** Token count according to o200k; a model's own count differs by a few percent. */
export function countTokens(text: string): number {
  if (text.length > ALWAYS_COUNTED) {
    const perCharacter = sampleTokens(text);
    if (perCharacter > FEW_PER_CHARACTER) return Math.ceil(perCharacter * text.length);
  }
  if (text.length <= COUNTED) return countWhole(text);
  return Math.ceil((countWhole(text.slice(0, COUNTED)) * text.length) / COUNTED);
}

function sampleTokens(text: string): number {
  const step = (text.length - SAMPLE) / (SAMPLES - 1);
  let tokens = 0;
  for (let n = 0; n < SAMPLES; n += 1) {
    const at = Math.floor(n * step);
    tokens += countWhole(text.slice(at, at + SAMPLE));
  }
  return tokens / (SAMPLES * SAMPLE);
}

function countWhole(text: string): number {
  if (!hasLongRun(text)) return count(text, plain);
  let total = 0;
  let start = 0;
  for (const { 0: run, index } of text.matchAll(longRun)) {
    total += count(text.slice(start, index), plain);
    for (let at = 0; at < run.length; at += PIECE) total += count(run.slice(at, at + PIECE), plain);
    start = index + run.length;
  }
  return total + (start < text.length ? count(text.slice(start), plain) : 0);
}

/** A run of that length covers at least one of these positions, so most characters are skipped. */
function hasLongRun(text: string): boolean {
  for (let at = PIECE - 1; at < text.length; at += PIECE) {
    const spaced = isSpace(text, at);
    let [from, to] = [at, at + 1];
    while (from > 0 && isSpace(text, from - 1) === spaced) from -= 1;
    while (to < text.length && to - from < PIECE && isSpace(text, to) === spaced) to += 1;
    if (to - from >= PIECE) return true;
  }
  return false;
}

const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 126 && /\s/.test(text[at] ?? ""));
};

/** Treats `<|endoftext|>` in user text as ordinary text. */
const plain = { disallowedSpecial: new Set<string>() };
