import type { Pair } from "./indent.ts";
import { compareLines, toLoose, type Level } from "./loose.ts";

/** A match of a search in a file, from `start` to `end` (exclusive). */
export type Match = {
  readonly start: number;
  readonly end: number;
  readonly level: Level;
  /** Each line of the search with the file's line. */
  readonly pairs: readonly Pair[];
  /** The lines that its ellipses match, in order. */
  readonly gaps: readonly { readonly start: number; readonly end: number }[];
  /** The lines between two ellipses also match elsewhere in it. */
  readonly isVague: boolean;
};

export type IndexedLines = { readonly texts: readonly string[]; readonly loose: readonly string[] };

export const indexLines = (texts: readonly string[]): IndexedLines => ({ texts, loose: texts.map(toLoose) });

/** Limits for the lines of all places; some places are always examined. */
const MAX_LINES = 100_000;
const MIN_PLACES = 20;

/** All matches of a search, whose pieces occur in order with any lines between them. O(file). */
export function findMatches(file: IndexedLines, pieces: readonly (readonly string[])[]): readonly Match[] {
  const [head = [], ...rest] = pieces;
  const starts = findRuns(file, head);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const most = Math.max(MIN_PLACES, Math.floor(MAX_LINES / length));
  if (rest.length === 0) return starts.slice(0, most).map((start) => toPlace(file, pieces, [start]));
  const inner = rest.slice(0, -1);
  const ends = findRuns(file, rest.at(-1) ?? []);
  const runs = inner.map((piece) => findRuns(file, piece));
  const places: Match[] = [];
  for (const start of starts) {
    const between = threadThrough(inner, runs, start + head.length);
    if (!between) break;
    const from = (between.at(-1) ?? start) + (inner.at(-1)?.length ?? head.length);
    for (let at = findFrom(ends, from); at < ends.length; at += 1) {
      const end = ends[at] ?? 0;
      const isVague = inner.length > 0 && hasOther(inner, runs, between, end);
      places.push({ ...toPlace(file, pieces, [start, ...between, end]), isVague });
      if (places.length >= most) return places;
    }
  }
  return places;
}

/** The first place of each piece after the previous one. */
function threadThrough(
  pieces: readonly (readonly string[])[],
  runs: readonly (readonly number[])[],
  from: number,
): readonly number[] | undefined {
  const found: number[] = [];
  let next = from;
  for (const [index, piece] of pieces.entries()) {
    const all = runs[index] ?? [];
    const run = all[findFrom(all, next)];
    if (run === undefined) return undefined;
    found.push(run);
    next = run + piece.length;
  }
  return found;
}

/** Whether a piece also matches further down, before the next piece. Searches from the end. */
function hasOther(
  pieces: readonly (readonly string[])[],
  runs: readonly (readonly number[])[],
  found: readonly number[],
  end: number,
): boolean {
  let next = end;
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const all = runs[index] ?? [];
    const last = all[findFrom(all, next - (pieces[index]?.length ?? 0) + 1) - 1];
    if (last !== found[index]) return true;
    next = last ?? 0;
  }
  return false;
}

/** Index of the first number that is at least `least`. */
function findFrom(list: readonly number[], least: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All occurrences of these lines (Knuth-Morris-Pratt). */
function findRuns({ loose }: IndexedLines, piece: readonly string[]): readonly number[] {
  const keys = piece.map(toLoose);
  const shorter = [0];
  for (let index = 1, length = 0; index < keys.length; index += 1) {
    while (length > 0 && keys[index] !== keys[length]) length = shorter[length - 1] ?? 0;
    if (keys[index] === keys[length]) length += 1;
    shorter.push(length);
  }
  const found: number[] = [];
  let length = 0;
  for (const [index, key] of loose.entries()) {
    while (length > 0 && key !== keys[length]) length = shorter[length - 1] ?? 0;
    if (key === keys[length]) length += 1;
    if (length < keys.length) continue;
    found.push(index - keys.length + 1);
    length = shorter[length - 1] ?? 0;
  }
  return found;
}

function toPlace({ texts }: IndexedLines, pieces: readonly (readonly string[])[], starts: readonly number[]): Match {
  const pairs: Pair[] = [];
  let level: Level = 0;
  for (const [n, piece] of pieces.entries()) {
    for (const [index, wanted] of piece.entries()) {
      const line = texts[(starts[n] ?? 0) + index] ?? "";
      const found = compareLines(line, wanted);
      if (found > level) level = found;
      pairs.push({ line, wanted });
    }
  }
  const ends = pieces.map((piece, n) => (starts[n] ?? 0) + piece.length);
  const gaps = starts.slice(1).map((end, n) => ({ start: ends[n] ?? 0, end }));
  return { start: starts[0] ?? 0, end: ends.at(-1) ?? 0, level, pairs, gaps, isVague: false };
}
