import { isMarker } from "./markers.ts";
import { toTexts } from "./lines.ts";

/** What a search may mean: its lines as they are, with ellipses, without the blank lines or numbers around it. */
export type Reading = {
  readonly pieces: readonly (readonly string[])[];
  /** What stands between them: an ellipsis, or a comment that says so. */
  readonly seams: readonly string[];
  /** Lines left out at its beginning and end: the numbers of who asks may count them. */
  readonly before: number;
  readonly after: number;
  readonly isNumbered: boolean;
};

/** The same for seams that mean the same. */
export const toSeam = (line: string): string => (isEllipsis(line) ? "..." : line.trim());

export const isEllipsis = (line: string): boolean => /^\s*(?:\.{3}|…)\s*$/.test(line);

/** The closest reading first; a later one counts only where none before it stands in the file. */
export function readSearch(search: string, path: string): readonly (readonly Reading[])[] {
  const lines = toTexts(search);
  const bare = stripBlank(lines);
  const numberless = stripNumbers(bare.lines);
  const all = [
    readLines(lines, path, { before: 0, after: 0, isNumbered: false }),
    bare.before + bare.after > 0 ? readLines(bare.lines, path, { ...bare, isNumbered: false }) : [],
    numberless ? readLines(numberless, path, { ...bare, isNumbered: true }) : [],
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
  const { before, after, isNumbered } = around;
  const literal: Reading = { pieces: [lines], seams: [], before, after, isNumbered };
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
