import type { ModelInfo } from "../../protocol/api.ts";
import type { Usage } from "../../protocol/run.ts";

export type Prices = ModelInfo["prices"];

const PER_MILLION = 1_000_000;

/** Tokens times prices; null if a needed price is unknown. Input tokens include cache reads and writes. */
export function costOf(usage: Usage, prices: Prices): number | null {
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

/** Default length of an answer. */
const ANSWER_TOKENS = 1000;

type ExpectedCall = {
  readonly promptTokens: number;
  /** The part of the prompt expected to be cached. */
  readonly cachedTokens?: number;
  readonly answerTokens?: number;
  readonly model: Pick<ModelInfo, "prices" | "free">;
};

/** Expected cost of a call; 0 for a free model, null if a price is unknown. */
export function expectCost({
  promptTokens,
  cachedTokens = 0,
  answerTokens = ANSWER_TOKENS,
  model,
}: ExpectedCall): number | null {
  const { input, output, cacheRead } = model.prices;
  if (model.free) return 0;
  if (input === null || output === null) return null;
  const cached = cacheRead === null ? 0 : Math.min(cachedTokens, promptTokens);
  return ((promptTokens - cached) * input + cached * (cacheRead ?? 0) + answerTokens * output) / PER_MILLION;
}

/**
 * Used if a request sets no limit. Longer answers are rare, and reserving more would block parallel calls on small
 * budgets.
 */
const MAX_ANSWER_TOKENS = 16_384;

type Bound = {
  readonly promptTokens: number;
  readonly maxOutputTokens: number | null;
  readonly model: ExpectedCall["model"];
};

/** Upper bound of a call's cost: nothing cached, and the longest answer. Otherwise like `expectCost`. */
export function boundCost({ promptTokens, maxOutputTokens, model }: Bound): number | null {
  const { input, cacheWrite } = model.prices;
  const prices = { ...model.prices, input: input === null ? null : Math.max(input, cacheWrite ?? 0) };
  return expectCost({ promptTokens, answerTokens: maxOutputTokens ?? MAX_ANSWER_TOKENS, model: { ...model, prices } });
}
