import { diffLines, type DiffLine } from "../../protocol/diff-lines.ts";
import { splitLines } from "./lines.ts";

type Difference = { readonly text: string; readonly added: number; readonly removed: number };

const AROUND = 3;
const MAX_ROWS = 120;
const LONGEST_ROW = 400;

/** A unified diff without file headers. Long diffs are cut, with a note. */
export function toDifference(before: string, after: string): Difference {
  if (countLines(before) + countLines(after) > MOST_LINES) return toCounts(before, after);
  const rows = diffLines(toShown(before), toShown(after));
  const added = rows.filter(({ sign }) => sign === "+").length;
  const removed = rows.filter(({ sign }) => sign === "-").length;
  const shown = toHunks(rows);
  const rest = shown.length - MAX_ROWS;
  const text = rest > 0 ? [...shown.slice(0, MAX_ROWS), `(${rest} more lines of the diff)`] : shown;
  return { text: text.join("\n"), added, removed };
}

/**
 * Limit for both texts together. Longer texts are not compared line by line, because that blocks the server: the worst texts of this
 * length took 36 ms, and texts of twice the length 80 ms.
 */
const MOST_LINES = 10_000;

/** Counts everything between the first and the last difference as replaced. */
function toCounts(before: string, after: string): Difference {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1;
  if (start === before.length && start === after.length) return { text: "", added: 0, removed: 0 };
  const removed = countLines(before.slice(start, before.length - end));
  const added = countLines(after.slice(start, after.length - end));
  return { text: `(about ${removed} lines removed and ${added} added: too long to compare)`, added, removed };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** Keeps line endings, so that a changed ending is part of the diff. */
const toShown = (text: string): readonly string[] => {
  const { mark, lines } = splitLines(text);
  const texts = lines.map(({ text: line, end }) => (end === "\r\n" ? `${line}\r` : line));
  return mark === "" ? texts : [`${mark}${texts[0] ?? ""}`, ...texts.slice(1)];
};

function toHunks(rows: readonly DiffLine[]): readonly string[] {
  const near = new Set<number>();
  for (const [index, { sign }] of rows.entries()) {
    if (sign === " ") continue;
    for (let one = index - AROUND; one <= index + AROUND; one += 1) near.add(one);
  }
  const texts: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (!near.has(index)) continue;
    if (index === 0 || !near.has(index - 1)) texts.push(toHead(rows, near, index));
    const cut = row.text.length > LONGEST_ROW ? `${row.text.slice(0, LONGEST_ROW)}…` : row.text;
    texts.push(`${row.sign}${cut.replace(/\r$/, "")}`);
  }
  return texts;
}

function toHead(rows: readonly DiffLine[], near: ReadonlySet<number>, start: number): string {
  let end = start;
  while (end < rows.length && near.has(end)) end += 1;
  const hunk = rows.slice(start, end);
  const olds = hunk.filter(({ sign }) => sign !== "+").length;
  const news = hunk.filter(({ sign }) => sign !== "-").length;
  const { before = 0, after = 0 } = hunk[0] ?? {};
  return `@@ -${olds === 0 ? before : before + 1},${olds} +${news === 0 ? after : after + 1},${news} @@`;
}
