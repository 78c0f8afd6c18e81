import type { RowOf } from "../store/schema.ts";

/** What the summaries of a path may hold together before the oldest become one. */
export const MERGE_TOKENS = 2_000;

/**
 * The oldest of a path's summaries that are to become one, or none: as many as bring the rest down to half the budget, two at
 * least. They must follow each other without a gap, or what lies between would be taken for told.
 */
export function planMerge(cover: readonly RowOf<"summaries">[], budget = MERGE_TOKENS): readonly RowOf<"summaries">[] {
  let left = cover.reduce((sum, { tokens }) => sum + tokens, 0);
  if (left <= budget) return [];
  const chosen: RowOf<"summaries">[] = [];
  for (const row of cover) {
    const last = chosen.at(-1);
    if (last && row.from_depth > last.to_depth + 1) {
      if (chosen.length >= 2) break;
      chosen.length = 0;
    }
    if (chosen.length >= 2 && left <= budget / 2) break;
    chosen.push(row);
    left -= row.tokens;
  }
  return chosen.length >= 2 ? chosen : [];
}
