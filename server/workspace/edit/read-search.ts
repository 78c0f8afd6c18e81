import { isMarker } from "./markers.ts";

/** One interpretation of a search: literal lines, with ellipses, or without surrounding blank lines or line numbers. */
export type Reading = {
  readonly pieces: readonly (readonly string[])[];
  /** The separators between pieces: an ellipsis or a marker comment. */
  readonly seams: readonly string[];
  /** Lines dropped at the beginning and end; the given line numbers may include them. */
  readonly before: number;
  readonly after: number;
  readonly isNumbered: boolean;
  /** The final newline ends the last line and is not a blank line; the same for the replacement. */
  readonly isEnded: boolean;
};

/** A normal form of a separator. */
export const toSeam = (line: string): string => (isEllipsis(line) ? "..." : line.trim());

export const isEllipsis = (line: string): boolean => /^\s*(?:\.{3}|…)\s*$/.test(line);

type Numbers = { readonly first?: number | undefined; readonly last?: number | undefined };

/**
 * Interpretations, most literal first; a later one is used only if no earlier one matches the file. A final newline may be a line
 * ending or a blank line, which the line numbers decide.
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

/** Literally, and with `...` lines as ellipses: a file may contain either. */
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

/** Removes the line numbers of view_file if every line has one and they are consecutive. */
export function stripNumbers(lines: readonly string[]): readonly string[] | undefined {
  const numbers = lines.map((line) => Number(NUMBER.exec(line)?.[1] ?? "NaN"));
  const isCounted = numbers.every((number, index) => number === (numbers[0] ?? NaN) + index);
  return isCounted && lines.length > 0 ? lines.map((line) => line.replace(NUMBER, "")) : undefined;
}
