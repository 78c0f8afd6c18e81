import type { Model } from "../../protocol/api.ts";
import type { Usage } from "../../protocol/run.ts";

export type Prices = Model["prices"];

const PER_MILLION = 1_000_000;

/** Tokens times prices; null as soon as a price that is needed is unknown. Input tokens hold those read from and written to a cache. */
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

/** An answer of ordinary length, where nothing better is known. */
const ANSWER_TOKENS = 1000;

type Expected = {
  readonly promptTokens: number;
  /** Of them, what a cache is expected to hold. */
  readonly cachedTokens?: number;
  readonly answerTokens?: number;
  readonly model: Pick<Model, "prices" | "free">;
};

/** What a call is expected to cost before it is made; 0 for a free model, null where a price is unknown. */
export function expectCost({
  promptTokens,
  cachedTokens = 0,
  answerTokens = ANSWER_TOKENS,
  model,
}: Expected): number | null {
  const { input, output, cacheRead } = model.prices;
  if (model.free) return 0;
  if (input === null || output === null) return null;
  const cached = cacheRead === null ? 0 : Math.min(cachedTokens, promptTokens);
  return ((promptTokens - cached) * input + cached * (cacheRead ?? 0) + answerTokens * output) / PER_MILLION;
}

/** Where a request sets no limit: longer answers are rare, and holding more would keep small budgets from parallel calls. */
const MOST_ANSWER_TOKENS = 16_384;

type Bound = {
  readonly promptTokens: number;
  readonly maxOutputTokens: number | null;
  readonly model: Expected["model"];
};

/** The most a call may cost: nothing of the prompt cached, and the longest answer. Otherwise as `expectCost`. */
export function boundCost({ promptTokens, maxOutputTokens, model }: Bound): number | null {
  const { input, cacheWrite } = model.prices;
  const prices = { ...model.prices, input: input === null ? null : Math.max(input, cacheWrite ?? 0) };
  return expectCost({ promptTokens, answerTokens: maxOutputTokens ?? MOST_ANSWER_TOKENS, model: { ...model, prices } });
}
