import type { RowOf } from "../store/schema.ts";

export type Gap = { readonly from: number; readonly to: number };

/** While a summary is regenerated, its old text is still used. */
export const isUsable = ({ status, fields }: RowOf<"summaries">): boolean => fields !== null && status !== "failed";

/**
 * The fewest summaries that cover as much of a path as possible, in order, and the uncovered depths up to `upTo`. A merged
 * summary replaces its sources as soon as it is usable.
 */
export function chooseCover(
  rows: readonly RowOf<"summaries">[],
  upTo: number,
): { readonly cover: readonly RowOf<"summaries">[]; readonly gaps: readonly Gap[] } {
  const usable = rows
    .filter(isUsable)
    .toSorted(
      (a, b) => a.from_depth - b.from_depth || b.to_depth - a.to_depth || b.level - a.level || (a.id < b.id ? -1 : 1),
    );
  const cover: RowOf<"summaries">[] = [];
  const gaps: Gap[] = [];
  let covered = 0;
  for (const row of usable) {
    if (row.to_depth <= covered || row.from_depth > upTo) continue;
    if (row.from_depth > covered + 1) gaps.push({ from: covered + 1, to: row.from_depth - 1 });
    cover.push(row);
    covered = row.to_depth;
  }
  if (covered < upTo) gaps.push({ from: covered + 1, to: upTo });
  return { cover, gaps };
}
