import { quoteLines } from "./explain.ts";
import { isMarker } from "./markers.ts";

export type Expanded =
  | { readonly ok: true; readonly lines: readonly string[]; readonly expanded: number }
  | { readonly ok: false; readonly reason: string };

/** A part of the new text that is written out, between markers. */
type Chunk = readonly string[];
type Anchor = { readonly ok: true; readonly at: number } | { readonly ok: false; readonly reason: string };

/**
 * Markers for code that is to be kept, replaced by that code: what stands in the old text between the line before the marker and
 * the line after it. Both must be there, once; a marker at the beginning or end of the text reaches to the old one's.
 */
export function expandMarkers(old: readonly string[], written: readonly string[], path: string): Expanded {
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
    if (n === 0 && isLoss(old.slice(0, start.at), before)) return refuse(marker, loses("before", 0, start.at, old));
    const isLast = n === markers.length - 1;
    const end = isLast && isBlank(after) ? { ok: true as const, at: old.length } : findStart(old, after, start.at);
    if (!end.ok) return refuse(marker, `The line after it ${end.reason}`);
    if (isLast && isLoss(old.slice(end.at), after)) return refuse(marker, loses("after", end.at, old.length, old));
    lines.push(...trimBlank(old.slice(start.at, end.at), before, after), ...after);
    from = end.at;
  }
  return { ok: true, lines, expanded: markers.length };
}

const refuse = (marker: string, reason: string): Expanded => ({
  ok: false,
  reason: `"${marker}" cannot be expanded. ${reason} Write the whole file, repeat unchanged lines on both sides of the marker, or edit by lines.`,
});

const FEW_LINES = 3;

/** Far more of the old text would go than is written in its place: most likely it was forgotten, not taken out. */
function isLoss(old: readonly string[], chunk: Chunk): boolean {
  if (isBlank(chunk)) return false;
  const written = new Set(chunk.map((line) => line.trim()));
  const known = new Set(old.map((line) => line.trim()));
  const lost = old.filter((line) => line.trim() !== "" && !written.has(line.trim())).length;
  const put = chunk.filter((line) => line.trim() !== "" && !known.has(line.trim())).length;
  return lost > FEW_LINES && put * 2 < lost;
}

const loses = (side: string, start: number, end: number, old: readonly string[]): string =>
  `Lines ${side} what is written out would be lost, with nothing in their place:\n${quoteLines(old, start, end)}\nPut a marker there to keep them.`;

const isBlank = (chunk: Chunk): boolean => chunk.every((line) => line.trim() === "");

/** Blank lines that are written beside the marker as well as kept by it stand once. */
function trimBlank(kept: readonly string[], before: Chunk, after: Chunk): readonly string[] {
  let [start, end] = [0, kept.length];
  if (before.at(-1)?.trim() === "") while (start < end && kept[start]?.trim() === "") start += 1;
  if (after[0]?.trim() === "") while (end > start && kept[end - 1]?.trim() === "") end -= 1;
  return kept.slice(start, end);
}

/** Neighbours that are looked at: as many as these are as good as any number. */
const FAR = 60;

/** Where the chunk's end stands in the old text, as the index after it. */
function findEnd(old: readonly string[], chunk: Chunk, from: number): Anchor {
  const lines = chunk.slice(0, chunk.findLastIndex((line) => line.trim() !== "") + 1);
  const reach = (index: number): number => {
    let length = 0;
    while (
      length < Math.min(lines.length, FAR) &&
      index - length >= 0 &&
      isSame(old[index - length], lines[lines.length - 1 - length])
    ) {
      length += 1;
    }
    return length;
  };
  const anchor = choose(old, { lines: lines.toReversed(), from, reach });
  return anchor.ok ? { ok: true, at: anchor.at + 1 } : anchor;
}

function findStart(old: readonly string[], chunk: Chunk, from: number): Anchor {
  const lines = chunk.slice(
    Math.max(
      chunk.findIndex((line) => line.trim() !== ""),
      0,
    ),
  );
  const reach = (index: number): number => {
    let length = 0;
    while (length < Math.min(lines.length, FAR) && isSame(old[index + length], lines[length])) length += 1;
    return length;
  };
  return choose(old, { lines, from, reach });
}

type Choosing = {
  /** From the one beside the marker on. */
  readonly lines: readonly string[];
  readonly from: number;
  readonly reach: (index: number) => number;
};

/** Brackets alone tell no place from another. */
const weigh = (lines: readonly string[], count: number): number =>
  lines
    .slice(0, count)
    .join("")
    .match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** The one place of a line from which most of its neighbours are the same. */
function choose(old: readonly string[], { lines, from, reach }: Choosing): Anchor {
  const [line] = lines;
  if (line === undefined || line.trim() === "") return { ok: false, reason: "is another marker." };
  const found = old.flatMap((text, index) =>
    index >= from && isSame(text, line) ? [{ index, length: reach(index) }] : [],
  );
  if (found.length === 0)
    return {
      ok: false,
      reason: `("${line.trim()}") is not in the file${from > 0 ? " after what came before" : ""}, so it is not known what to keep.`,
    };
  const longest = found.reduce((most, { length }) => Math.max(most, length), 0);
  const [best, ...others] = found.filter(({ length }) => length === longest);
  const isSure = found.length === 1 || weigh(lines, longest) >= 4;
  if (best && others.length === 0 && isSure) return { ok: true, at: best.index };
  const places = found.slice(0, 6).map(({ index }) => quoteLines(old, index, index + 1));
  return { ok: false, reason: `stands at several places of the file:\n${places.join("\n")}\n` };
}

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.trimEnd() === other.trimEnd();
