import type { Model } from "../../../protocol/api.ts";
import type { Usage } from "../../../protocol/run.ts";

const PER_MILLION = 1_000_000;

/** Tokens times prices; null as soon as a price that is needed is unknown. Input tokens hold those read from and written to a cache. */
export function costOf(usage: Usage, prices: Model["prices"]): number | null {
  const plain = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const lines: readonly (readonly [tokens: number, price: number | null])[] = [
    [plain, prices.input],
    [usage.cacheReadTokens, prices.cacheRead],
    [usage.cacheWriteTokens, prices.cacheWrite],
    [usage.outputTokens, prices.output],
  ];
  let total = 0;
  for (const [tokens, price] of lines) {
    if (tokens === 0) continue;
    if (price === null) return null;
    total += (tokens * price) / PER_MILLION;
  }
  return total;
}
