import type { Omission, ReceiptItem } from "../../protocol/context/receipt.ts";

export type DepthRange = readonly [from: number, to: number];

/** A text in the request and the messages that it covers. */
export type Cover = { readonly by: string; readonly ranges: readonly DepthRange[] };

type Covering = Pick<ReceiptItem, "kind" | "id" | "covers">;

/** Derived from the items of the request, so a receipt cannot claim coverage by a text that was not sent. */
export const listCovers = (items: readonly Covering[]): readonly Cover[] =>
  items.flatMap(({ kind, id, covers }) =>
    covers === undefined ? [] : [{ by: kind === "extract" ? kind : id, ranges: covers }],
  );

export const coveredBy = (depth: number, covers: readonly Cover[]): readonly string[] =>
  covers.flatMap(({ by, ranges }) => (ranges.some(([from, to]) => from <= depth && depth <= to) ? [by] : []));

/** A range of messages that were not loaded, split where other texts cover it. O(covers), not O(messages). */
export function splitByCover(
  [from, to]: DepthRange,
  why: Omission["why"],
  covers: readonly Cover[],
): readonly Omission[] {
  if (from > to) return [];
  const starts = covers.flatMap(({ ranges }) => ranges.flatMap(([first, last]) => [first, last + 1]));
  const edges = [...new Set([from, ...starts.filter((at) => at > from && at <= to)])].toSorted((a, b) => a - b);
  const pieces: Omission[] = [];
  for (const [index, fromDepth] of edges.entries()) {
    const toDepth = (edges[index + 1] ?? to + 1) - 1;
    const by = coveredBy(fromDepth, covers);
    const last = pieces.at(-1);
    if (last?.coveredBy.join() === by.join()) {
      pieces[pieces.length - 1] = { ...last, toDepth, messages: last.messages + toDepth - fromDepth + 1 };
      continue;
    }
    pieces.push({ fromDepth, toDepth, messages: toDepth - fromDepth + 1, tokens: null, why, coveredBy: by });
  }
  return pieces;
}

/** Sorted ranges; adjacent ones are joined. */
export function toRanges(ranges: readonly DepthRange[]): readonly [number, number][] {
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The depths from 1 to `end` that are in none of the ranges. */
export function listGaps(ranges: readonly DepthRange[], end: number): readonly DepthRange[] {
  const gaps: DepthRange[] = [];
  let next = 1;
  for (const [from, to] of toRanges(ranges)) {
    if (from > end) break;
    if (from > next) gaps.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  return next <= end ? [...gaps, [next, end]] : gaps;
}
