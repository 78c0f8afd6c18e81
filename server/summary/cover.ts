import type { RowOf } from "../store/schema.ts";

export type Gap = { readonly from: number; readonly to: number };

/** One that is being made again tells meanwhile what it told before. */
export const isUsable = ({ status, fields }: RowOf<"summaries">): boolean => fields !== null && status !== "failed";

/**
 * The fewest summaries that tell of as much of a path as they can, in order; and the depths up to `upTo` that none tells of.
 * One that was merged gives way to the one it is in as soon as that is there, and not before.
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
  let told = 0;
  for (const row of usable) {
    if (row.to_depth <= told || row.from_depth > upTo) continue;
    if (row.from_depth > told + 1) gaps.push({ from: told + 1, to: row.from_depth - 1 });
    cover.push(row);
    told = row.to_depth;
  }
  if (told < upTo) gaps.push({ from: told + 1, to: upTo });
  return { cover, gaps };
}
