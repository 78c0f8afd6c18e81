import { quoteLines } from "./explain.ts";
import { isMarker } from "./markers.ts";

type ExpandResult =
  | { readonly ok: true; readonly lines: readonly string[]; readonly expanded: number }
  | { readonly ok: false; readonly reason: string };

/** Written lines of the new text between two markers. */
type Chunk = readonly string[];
type Anchor = { readonly ok: true; readonly at: number } | { readonly ok: false; readonly reason: string };

/**
 * Replaces markers for unchanged code by that code: the old lines between the line before the marker and the line after it. Both
 * lines must occur exactly once. A marker at the beginning or end of the text reaches to the beginning or end of the old text.
 */
export function expandMarkers(old: readonly string[], written: readonly string[], path: string): ExpandResult {
  const standing = new Set(old.map((line) => line.trim()));
  const chunks: string[][] = [[]];
  const markers: string[] = [];
  for (const line of written) {
    if (isMarker(line, path) && !standing.has(line.trim())) {
      markers.push(line.trim());
      chunks.push([]);
    } else chunks.at(-1)?.push(line);
  }
  if (markers.length === 0) return { ok: true, lines: written, expanded: 0 };
  const lines: string[] = [...(chunks[0] ?? [])];
  let from = 0;
  for (const [n, marker] of markers.entries()) {
    const [before = [], after = []] = [chunks[n], chunks[n + 1]];
    const start = isBlank(before) && n === 0 ? { ok: true as const, at: 0 } : findEnd(old, before, from);
    if (!start.ok) return refuse(marker, `The line before it ${start.reason}`);
    if (isLoss(old.slice(from, start.at), before)) return refuse(marker, loses("before", from, start.at, old));
    const isLast = n === markers.length - 1;
    const isWhole = isLast && isBlank(after);
    const end = isWhole ? { ok: true as const, at: old.length } : findStart(old, after, { from: start.at, isLast });
    if (!end.ok) return refuse(marker, `The line after it ${end.reason}`);
    if (isLast && isLoss(old.slice(end.at), after)) return refuse(marker, loses("after", end.at, old.length, old));
    lines.push(...trimBlank(old.slice(start.at, end.at), before, after), ...after);
    from = end.at;
  }
  return { ok: true, lines, expanded: markers.length };
}

const refuse = (marker: string, reason: string): ExpandResult => ({
  ok: false,
  reason: `"${marker}" cannot be expanded. ${reason} Write the whole file, repeat unchanged lines on both sides of the marker, or use replace_lines.`,
});

/** Compares written lines with the lines they replace: how many of each are missing in the other. */
function createTally(chunk: Chunk) {
  const written = new Map<string, number>();
  const solid = chunk.map((line) => line.trim()).filter((line) => line !== "");
  for (const line of solid) written.set(line, (written.get(line) ?? 0) + 1);
  let [put, lost] = [solid.length, 0];
  return {
    add: (given: string): void => {
      const line = given.trim();
      const left = written.get(line) ?? 0;
      if (left > 0) written.set(line, left - 1);
      if (left > 0) put -= 1;
      else if (line !== "") lost += 1;
    },
    apart: () => put + lost,
    isLoss: () => lost > put,
  };
}

/** More old lines would be removed than written: probably forgotten, not deleted on purpose. */
function isLoss(old: readonly string[], chunk: Chunk): boolean {
  if (isBlank(chunk)) return false;
  const tally = createTally(chunk);
  for (const line of old) tally.add(line);
  return tally.isLoss();
}

const loses = (side: string, start: number, end: number, old: readonly string[]): string =>
  `Lines ${side} the written part would be lost without a replacement:\n${quoteLines(old, start, end)}\nPut a marker there to keep them.`;

const isBlank = (chunk: Chunk): boolean => chunk.every((line) => line.trim() === "");

/** Drops blank lines that are both written next to a marker and kept by it. */
function trimBlank(kept: readonly string[], before: Chunk, after: Chunk): readonly string[] {
  let [start, end] = [0, kept.length];
  if (before.at(-1)?.trim() === "") while (start < end && kept[start]?.trim() === "") start += 1;
  if (after[0]?.trim() === "") while (end > start && kept[end - 1]?.trim() === "") end -= 1;
  return kept.slice(start, end);
}

/** Neighboring lines that are compared. */
const FAR = 60;

/** The index after the chunk's end in the old text. */
function findEnd(old: readonly string[], chunk: Chunk, from: number): Anchor {
  const quote = (index: number): string => quoteLines(old, from + index, from + index + 1);
  const anchor = choose(old.slice(from), chunk, { isFirst: from === 0, isWeighed: true, quote });
  return anchor.ok ? { ok: true, at: from + anchor.at + 1 } : anchor;
}

/** The index of the chunk's start. Only for the last chunk it is known which lines it replaces. */
function findStart(old: readonly string[], chunk: Chunk, { from, isLast }: { from: number; isLast: boolean }): Anchor {
  const rest = old.slice(from).toReversed();
  const quote = (index: number): string => quoteLines(old, old.length - 1 - index, old.length - index);
  const anchor = choose(rest, chunk.toReversed(), { isFirst: from === 0, isWeighed: isLast, quote });
  return anchor.ok ? { ok: true, at: old.length - 1 - anchor.at } : anchor;
}

/** Counts letters and digits: brackets alone do not identify a position. */
const weigh = (lines: readonly string[], count: number): number =>
  lines
    .slice(0, count)
    .join("")
    .match(/[\p{L}\p{N}]/gu)?.length ?? 0;

type AnchorOptions = {
  readonly isFirst: boolean;
  readonly isWeighed: boolean;
  readonly quote: (index: number) => string;
};

/**
 * The only place of the chunk's last line with the most equal neighbors. Ambiguous if another place would leave the chunk closer
 * to the lines it replaces.
 */
function choose(old: readonly string[], chunk: Chunk, { isFirst, isWeighed, quote }: AnchorOptions): Anchor {
  const lines = chunk.slice(0, chunk.findLastIndex((line) => line.trim() !== "") + 1).toReversed();
  const [line] = lines;
  if (line === undefined) return { ok: false, reason: "is also a marker." };
  const tally = createTally(chunk);
  const found = old.flatMap((text, index) => {
    tally.add(text);
    return isSame(text, line)
      ? [{ index, length: reach(old, index, lines), apart: isWeighed ? tally.apart() : 0 }]
      : [];
  });
  if (found.length === 0)
    return {
      ok: false,
      reason: `("${line.trim()}") is not in the file${isFirst ? "" : " after the previous part"}, so the lines to keep are unknown.`,
    };
  const longest = found.reduce((most, { length }) => Math.max(most, length), 0);
  const closest = found.reduce((least, { apart }) => Math.min(least, apart), Infinity);
  const [best, ...others] = found.filter(({ length }) => length === longest);
  const isSure = found.length === 1 || weigh(lines, longest) >= 4;
  if (best && others.length === 0 && isSure && best.apart === closest) return { ok: true, at: best.index };
  const places = found.slice(0, 6).map(({ index }) => quote(index));
  return { ok: false, reason: `occurs at several places in the file:\n${places.join("\n")}\n` };
}

/** Number of equal lines, from this one backwards. */
function reach(old: readonly string[], index: number, lines: readonly string[]): number {
  const most = Math.min(lines.length, FAR);
  let length = 0;
  while (length < most && isSame(old[index - length], lines[length])) length += 1;
  return length;
}

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.trimEnd() === other.trimEnd();
