import { toLoose } from "./loose.ts";
import { isEllipsis } from "./read-search.ts";
import { toTexts } from "../lines.ts";

const MOST_LINES = 30;
const LONGEST_LINE = 240;

export const toRange = (first: number, last: number): string =>
  first === last ? `line ${first}` : `lines ${first}-${last}`;

/** Numbered lines, as view_file shows them. */
export function quoteLines(texts: readonly string[], start: number, end: number): string {
  const [from, to] = [Math.max(start, 0), Math.min(end, texts.length)];
  const numbered = texts
    .slice(from, to)
    .map(
      (text, index) => `${from + index + 1}: ${text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text}`,
    );
  if (numbered.length <= MOST_LINES) return numbered.join("\n");
  const half = MOST_LINES / 2;
  const left = numbered.length - 2 * half;
  return [...numbered.slice(0, half), `(${left} more lines)`, ...numbered.slice(-half)].join("\n");
}

type FailedSearch = {
  readonly search: string;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
};

/** Explains a search without a match: the lines at the given numbers and the most similar lines. */
export function explainMiss(texts: readonly string[], { search, first, last }: FailedSearch): string {
  const parts = [
    `These lines are not in the file, which has ${texts.length} lines. Nothing was changed. Whole lines are compared.`,
  ];
  if (first !== undefined && first <= texts.length) {
    const to = Math.min(last ?? first, texts.length);
    parts.push(`At ${toRange(first, to)}:\n${quoteLines(texts, first - 1, to)}`);
  }
  const near = findNearest(texts, toTexts(search), first ?? 1);
  if (near && near.start + 1 !== first) {
    parts.push(`Most similar, at ${toRange(near.start + 1, near.end)}:\n${quoteLines(texts, near.start, near.end)}`);
  }
  return parts.join("\n");
}

/** By equal lines, else by the words of the first line that is not blank. */
function findNearest(texts: readonly string[], search: readonly string[], first: number) {
  const wanted = search.filter((line) => !isEllipsis(line)).slice(0, 200);
  const places = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    const key = toLoose(text);
    if (key !== "") places.set(key, [...(places.get(key) ?? []).slice(-50), index]);
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.entries()) {
    const key = toLoose(line);
    for (const index of places.get(key) ?? []) votes.set(index - offset, (votes.get(index - offset) ?? 0) + key.length);
  }
  const start = pick(votes, first - 1) ?? findAlike(texts, wanted.find((line) => line.trim() !== "") ?? "");
  if (start === undefined) return undefined;
  return { start: Math.max(start, 0), end: Math.min(Math.max(start, 0) + Math.max(wanted.length, 1), texts.length) };
}

function pick(votes: ReadonlyMap<number, number>, near: number): number | undefined {
  let best: readonly [number, number] | undefined;
  for (const [start, count] of votes) {
    const isCloser = best && count === best[1] && Math.abs(start - near) < Math.abs(best[0] - near);
    if (!best || count > best[1] || isCloser) best = [start, count];
  }
  return best && best[1] >= 4 ? best[0] : undefined;
}

const toWords = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);

function findAlike(texts: readonly string[], line: string): number | undefined {
  const wanted = toWords(line);
  let best: readonly [number, number] = [-1, 0.5];
  for (const [index, text] of texts.entries()) {
    if (text.length > 2000) continue;
    const words = toWords(text);
    const shared = [...wanted].filter((word) => words.has(word)).length;
    const alike = (2 * shared) / (wanted.size + words.size || 1);
    if (alike > best[1]) best = [index, alike];
  }
  return best[0] < 0 ? undefined : best[0];
}
