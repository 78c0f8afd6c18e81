import { isMarker } from "./markers.ts";

/** What a search may mean: its lines as they are, with ellipses, without the blank lines or numbers around it. */
export type Reading = {
  readonly pieces: readonly (readonly string[])[];
  /** What stands between them: an ellipsis, or a comment that says so. */
  readonly seams: readonly string[];
  /** Lines left out at its beginning and end: the numbers of who asks may count them. */
  readonly before: number;
  readonly after: number;
  readonly isNumbered: boolean;
  /** Its last end of line only ends the line before; so does the replacement's. */
  readonly isEnded: boolean;
};

/** The same for seams that mean the same. */
export const toSeam = (line: string): string => (isEllipsis(line) ? "..." : line.trim());

export const isEllipsis = (line: string): boolean => /^\s*(?:\.{3}|…)\s*$/.test(line);

type Numbers = { readonly first?: number | undefined; readonly last?: number | undefined };

/**
 * The closest reading first; a later one counts only where none before it stands in the file. An end of line at the end of the
 * search may be no more than that, or a blank line: the numbers tell by how many they count.
 */
export function readSearch(search: string, path: string, numbers: Numbers): readonly (readonly Reading[])[] {
  const { first, last } = numbers;
  const closed = search === "" ? [] : search.split(/\r?\n/);
  const open = closed.at(-1) === "" ? closed.slice(0, -1) : closed;
  const bare = stripBlank(open);
  const numberless = stripNumbers(bare.lines);
  const plain = { before: 0, after: 0, isNumbered: false, isEnded: false };
  const asLine = open === closed ? [] : readLines(closed, path, plain);
  const asEnd = readLines(open, path, { ...plain, isEnded: open !== closed });
  const counted = first === undefined || last === undefined ? undefined : last - first + 1;
  const isEnd = counted === open.length;
  const isLine = open !== closed && counted === closed.length;
  const stripped = { before: bare.before, after: bare.after, isEnded: open !== closed };
  const all = [
    ...(isEnd ? [asEnd, asLine] : isLine ? [asLine] : [asLine, asEnd]),
    bare.before + bare.after > 0 ? readLines(bare.lines, path, { ...stripped, isNumbered: false }) : [],
    numberless ? readLines(numberless, path, { ...stripped, isNumbered: true }) : [],
  ];
  return all.filter((readings) => readings.length > 0);
}

/** Literally, and with lines that only say "...": a file may hold either. */
function readLines(
  lines: readonly string[],
  path: string,
  around: Omit<Reading, "pieces" | "seams">,
): readonly Reading[] {
  if (lines.every((line) => line.trim() === "")) return [];
  const literal: Reading = { pieces: [lines], seams: [], ...around };
  const pieces: string[][] = [[]];
  const seams: string[] = [];
  for (const line of lines) {
    if (!isEllipsis(line) && !isMarker(line, path)) pieces.at(-1)?.push(line);
    else {
      pieces.push([]);
      seams.push(line);
    }
  }
  const isWhole = pieces.every((piece) => piece.some((line) => line.trim() !== ""));
  return pieces.length > 1 && isWhole ? [literal, { ...literal, pieces, seams }] : [literal];
}

function stripBlank(lines: readonly string[]) {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return {
    lines: lines.slice(Math.max(first, 0), last + 1),
    before: Math.max(first, 0),
    after: lines.length - 1 - last,
  };
}

const NUMBER = /^\s*(\d+)(?:: ?|\t|\| ?)/;

/** Without the numbers of a view, where every line has one and they go up by one. */
export function stripNumbers(lines: readonly string[]): readonly string[] | undefined {
  const numbers = lines.map((line) => Number(NUMBER.exec(line)?.[1] ?? "NaN"));
  const isCounted = numbers.every((number, index) => number === (numbers[0] ?? NaN) + index);
  return isCounted && lines.length > 0 ? lines.map((line) => line.replace(NUMBER, "")) : undefined;
}
