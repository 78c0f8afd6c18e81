import type { CostRow } from "../../protocol/cost.ts";
import { groupDigits } from "../lib/format.ts";
import { usage as strings } from "../strings/usage.ts";

/** "12 calls · 34,000 in, 82% cached · 4,100 out" */
export function describeRow({ calls, inputTokens, outputTokens, cacheReadTokens, unpriced }: CostRow): string {
  const cached = inputTokens === 0 ? 0 : Math.round((cacheReadTokens / inputTokens) * 100);
  return [
    strings.calls(calls, groupDigits(calls)),
    cached > 0
      ? strings.row.cachedInput(groupDigits(inputTokens), cached)
      : strings.row.input(groupDigits(inputTokens)),
    strings.row.output(groupDigits(outputTokens)),
    ...(unpriced > 0 ? [strings.row.unpriced(groupDigits(unpriced))] : []),
  ].join(" · ");
}

/** Parses a limit; null: not an amount. */
export function readLimit(text: string): number | null {
  const sum = /^\$?\s*(\d{1,7}(?:[.,]\d{1,6})?|[.,]\d{1,6})$/.exec(text.trim())?.[1];
  const limit = sum === undefined ? 0 : Number(sum.replace(",", "."));
  return limit > 0 ? limit : null;
}
