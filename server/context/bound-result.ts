import { parseJson } from "./parse-json.ts";
import { cutToTokens, shortenText } from "./shorten-text.ts";
import { createShrink, type Level } from "./shrink.ts";

/**
 * A tool's output as a model reads it: in full if it fits, otherwise its shape. Keys, ids, numbers, dates and states stay, lists
 * keep both ends and a count, texts keep whole sentences. A notice says what is missing and how to read it. Never above `tokens`.
 */
type BoundedText = { readonly text: string; readonly cut: boolean; readonly wholeTokens: number };

type Bound = {
  readonly tokens: number;
  /** The number of the artifact with the full output. A function is called only if the output is shortened. */
  readonly ref?: number | (() => number | undefined) | undefined;
  readonly count: (text: string) => number;
};

export function boundResult(output: unknown, { tokens, ref, count }: Bound): BoundedText {
  const whole = typeof output === "string" ? output : (JSON.stringify(output ?? null) ?? "null");
  const wholeTokens = estimate(whole, tokens, count);
  if (wholeTokens <= tokens) return { text: whole, cut: false, wholeTokens };
  const notice = toNotice(wholeTokens, typeof ref === "function" ? ref() : ref);
  const room = Math.max(0, tokens - count(notice) - FRAME);
  const value = typeof output === "string" ? parseJson(output) : output;
  const text =
    typeof value === "object" && value !== null
      ? boundValue(value, notice, { tokens, room, count })
      : boundText(whole.toWellFormed(), notice, { tokens, room, count });
  return { text: text ?? cutToTokens(whole.toWellFormed(), tokens, count), cut: true, wholeTokens };
}

/** Exact near the limit. For far longer outputs, extrapolated from the beginning. */
function estimate(whole: string, tokens: number, count: (text: string) => number): number {
  if (whole.length <= COUNTED || whole.length <= tokens * DENSEST) return count(whole);
  return Math.ceil((count(whole.slice(0, COUNTED)) * whole.length) / COUNTED);
}

const COUNTED = 40_000;
/** Upper bound for the characters per token of real text. */
const DENSEST = 20;

/** Must not contain a closing bracket, because readers remove the notice up to the first one. */
const toNotice = (wholeTokens: number, ref: number | undefined): string =>
  ref === undefined
    ? `Shortened from ${wholeTokens} tokens.`
    : `Shortened from ${wholeTokens} tokens. To read the full output: read_artifact with ref ${ref} and path, from or find.`;

const FRAME = 8;
const TRIES = 5;

type Room = { readonly tokens: number; readonly room: number; readonly count: (text: string) => number };

/** Finds how many characters fit. Takes a few tries, because the characters per token vary within a text. */
function fill(write: (characters: number) => string | undefined, { tokens, room, count }: Room): string | undefined {
  let best: { readonly text: string; readonly used: number } | undefined;
  let characters = room * 3;
  let before: string | undefined;
  for (let tried = 0; tried < TRIES && characters >= 1; tried += 1) {
    const text = write(Math.floor(characters));
    if (text !== undefined && text === before) break;
    before = text;
    const used = text === undefined ? 0 : count(text);
    if (text !== undefined && used <= tokens && used > (best?.used ?? -1)) best = { text, used };
    if (best && best.used > tokens * 0.9) break;
    const own = used - (tokens - room);
    const next = own <= 0 ? characters / 2 : (characters * room * 0.97) / own;
    if (Math.abs(next - characters) < 8) break;
    characters = Math.min(next, characters * 2);
  }
  return best?.text;
}

const boundText = (whole: string, notice: string, room: Room): string | undefined =>
  room.room < LEAST ? undefined : fill((characters) => `[${notice}]\n${shortenText(whole, characters)}`, room);

/** With fewer tokens no shape can be shown. */
const LEAST = 12;

/** Maximizes the number of items with short texts first, then the length of the texts. */
function boundValue(value: object, notice: string, room: Room): string | undefined {
  if (room.room < LEAST) return undefined;
  const shrink = createShrink(value);
  const shaped = fill((characters) => {
    for (const shape of shapes) {
      const write = (level: Level): string | undefined => {
        const shrunk = shrink(level, characters);
        return shrunk === undefined ? undefined : JSON.stringify(withNotice(shrunk, notice));
      };
      const items = findMost(1, MOST_ITEMS, (most) => write({ ...shape, items: most }));
      if (items === undefined) continue;
      const texts = findMost(shape.text, characters, (most) => write({ ...shape, items: items.most, text: most }));
      return (texts ?? items).text;
    }
    return undefined;
  }, room);
  return shaped ?? showBeginning(JSON.stringify(value), notice, room);
}

/** Used when the keys alone are too long: shows the beginning of the JSON. */
function showBeginning(whole: string, notice: string, { tokens, room, count }: Room): string | undefined {
  for (let characters = room * 2; characters >= 1; characters = Math.floor(characters * 0.6)) {
    const text = JSON.stringify({ _cut: notice, begins: shortenText(whole, characters) });
    if (count(text) <= tokens) return text;
  }
  return undefined;
}

const MOST_ITEMS = 1000;

/** Ordered from detailed to minimal. The first that fits with one item is used. */
const shapes: readonly Level[] = [
  { items: 1, text: 160, keys: 200, depth: 12 },
  { items: 1, text: 60, keys: 100, depth: 8 },
  { items: 1, text: 40, keys: 50, depth: 5 },
  { items: 1, text: 30, keys: 24, depth: 3 },
  { items: 1, text: 20, keys: 12, depth: 2 },
  { items: 1, text: 16, keys: 5, depth: 1 },
];

const withNotice = (value: unknown, notice: string): object =>
  Array.isArray(value) ? { _cut: notice, items: value } : { _cut: notice, ...(value as object) };

/** Binary search for the largest number that `write` accepts; undefined if it rejects the least. */
function findMost(least: number, most: number, write: (most: number) => string | undefined) {
  const first = write(least);
  if (first === undefined) return undefined;
  let best = { most: least, text: first };
  let [low, high] = [least + 1, most];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const text = write(middle);
    if (text === undefined) high = middle - 1;
    else {
      best = { most: middle, text };
      low = middle + 1;
    }
  }
  return best;
}
