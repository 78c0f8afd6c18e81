import type { Pair } from "./indent.ts";
import { compareLines, toLoose, type Level } from "./loose.ts";

/** Where in a file the lines of a search stand: from `start` up to, not including, `end`. */
export type Place = {
  readonly start: number;
  readonly end: number;
  readonly level: Level;
  /** Each line that was written out in the search, with the file's. */
  readonly pairs: readonly Pair[];
  /** What its ellipses stand for, in order. */
  readonly gaps: readonly { readonly start: number; readonly end: number }[];
};

export type Indexed = {
  readonly texts: readonly string[];
  readonly loose: readonly string[];
  readonly byLoose: ReadonlyMap<string, readonly number[]>;
};

export function indexLines(texts: readonly string[]): Indexed {
  const loose = texts.map(toLoose);
  const byLoose = new Map<string, number[]>();
  for (const [index, key] of loose.entries()) {
    const found = byLoose.get(key);
    if (found) found.push(index);
    else byLoose.set(key, [index]);
  }
  return { texts, loose, byLoose };
}

/** More than these are as good as any number: nobody could say which is meant. */
const MOST_PLACES = 200;

/** All places of a search, whose pieces stand in order with anything between them. */
export function findPlaces(file: Indexed, pieces: readonly (readonly string[])[]): readonly Place[] {
  const [head = [], ...rest] = pieces;
  const starts = findRuns(file, head);
  if (rest.length === 0) return starts.slice(0, MOST_PLACES).map((start) => toPlace(file, pieces, [start]));
  const tail = rest.at(-1) ?? [];
  const inner = rest.slice(0, -1);
  const ends = findRuns(file, tail);
  const runs = inner.map((piece) => findRuns(file, piece));
  const places: Place[] = [];
  for (const start of starts) {
    const between = threadThrough(inner, runs, start + head.length);
    if (!between) continue;
    const from = (between.at(-1) ?? start) + (inner.at(-1)?.length ?? head.length);
    for (const end of ends) {
      if (end < from) continue;
      places.push(toPlace(file, pieces, [start, ...between, end]));
      if (places.length >= MOST_PLACES) return places;
    }
  }
  return places;
}

/** The first place of each piece after the one before. */
function threadThrough(
  pieces: readonly (readonly string[])[],
  runs: readonly (readonly number[])[],
  from: number,
): readonly number[] | undefined {
  const found: number[] = [];
  let next = from;
  for (const [index, piece] of pieces.entries()) {
    const run = runs[index]?.find((start) => start >= next);
    if (run === undefined) return undefined;
    found.push(run);
    next = run + piece.length;
  }
  return found;
}

function findRuns({ loose, byLoose }: Indexed, piece: readonly string[]): readonly number[] {
  const keys = piece.map(toLoose);
  let [rarest, found]: [number, readonly number[]] = [0, []];
  for (const [index, key] of keys.entries()) {
    if (key === "") continue;
    const places = byLoose.get(key) ?? [];
    if (places.length === 0) return [];
    if (found.length === 0 || places.length < found.length) [rarest, found] = [index, places];
  }
  return found
    .map((index) => index - rarest)
    .filter((start) => start >= 0 && keys.every((key, index) => loose[start + index] === key));
}

function toPlace({ texts }: Indexed, pieces: readonly (readonly string[])[], starts: readonly number[]): Place {
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
  return { start: starts[0] ?? 0, end: ends.at(-1) ?? 0, level, pairs, gaps };
}
