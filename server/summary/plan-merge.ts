import type { RowOf } from "../store/schema.ts";

/** If the summaries of a path have more tokens than this, the oldest are merged. */
const MERGE_TOKENS = 2_000;

/**
 * The oldest summaries that should be merged, or none: enough to bring the rest down to half the budget, at least two. They
 * must be adjacent, because the merged summary would otherwise claim to cover the gap.
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
