import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelEvent } from "../../../protocol/model.ts";
import type { Usage } from "../../../protocol/run.ts";
import type { Provider } from "./providers.ts";

type Finish = LanguageModelV4StreamPart & { type: "finish" };

/** The terminal event of a stream that the package calls finished. Without the provider's own word it was cut. */
export const toFinish = (
  part: Finish,
  options: { readonly provider: Provider; readonly answeredBy: string | undefined; readonly calls: number },
): ModelEvent => {
  const { unified, raw } = part.finishReason;
  const { label, saysFinish } = options.provider;
  if (unified === "interrupted" || (raw === undefined && (saysFinish || unified === "other"))) {
    const text = `The answer of ${label} broke off before it was complete. Try again.`;
    return { type: "failed", failure: { code: "cut", fault: "provider", text } };
  }
  if (unified === "error") {
    const text = `${label} ended the answer with an error. Try again, or choose another model.`;
    return { type: "failed", failure: { code: "server-error", fault: "provider", text } };
  }
  const costUsd = findCost(part.providerMetadata);
  return {
    type: "finish",
    reason: toReason(unified, options.calls),
    usage: toUsage(part.usage),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(options.answeredBy === undefined ? {} : { answeredBy: options.answeredBy }),
  };
};

/** Providers differ on what a step with tool calls is called; what it did decides. */
const toReason = (unified: FinishReason, calls: number): FinishReason => {
  if (unified === "stop" && calls > 0) return "tool-calls";
  return unified === "tool-calls" && calls === 0 ? "stop" : unified;
};

type FinishReason = Extract<ModelEvent, { type: "finish" }>["reason"];

/** `inputTokens` is everything that went in, cached or not. A provider that tells absurd figures has told none. */
export const toUsage = (usage: LanguageModelV4Usage | undefined): Usage | null => {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const totals = [input?.total, output?.total].filter((total) => total !== undefined);
  if (totals.length === 0 || !totals.every(isCount)) return null;
  const cacheReadTokens = toCount(input?.cacheRead);
  const cacheWriteTokens = toCount(input?.cacheWrite);
  return {
    inputTokens: Math.max(toCount(input?.total), cacheReadTokens + cacheWriteTokens),
    outputTokens: toCount(output?.total),
    reasoningTokens: toCount(output?.reasoning),
    cacheReadTokens,
    cacheWriteTokens,
    estimated: false,
  };
};

/** More tokens than any call can have. */
const absurdTokens = 1_000_000_000;

const isCount = (value: number): boolean => value >= 0 && value < absurdTokens;

const toCount = (value: number | undefined): number => (value !== undefined && isCount(value) ? Math.round(value) : 0);

const findCost = (metadata: Finish["providerMetadata"]): number | undefined => {
  const usage = metadata?.["openrouter"]?.["usage"];
  if (typeof usage !== "object" || usage === null || !("cost" in usage)) return undefined;
  const { cost } = usage;
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
};
