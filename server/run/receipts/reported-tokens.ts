import type { Receipt } from "../../../protocol/context/receipt.ts";
import type { ModelRequest } from "../../../protocol/model.ts";
import type { Usage } from "../../../protocol/run.ts";

/** What is known of a request when its answer comes, by our own count. */
export type SentTokens = {
  readonly receiptId: string;
  readonly tokens: number;
  /** Tool definitions: providers write and count them in their own way, some not at all. */
  readonly tools: number;
  /** What the request before began with, too. */
  readonly shared: number;
  /** Providers count pictures in their own way. */
  readonly hasImages: boolean;
};

export const toSent = (
  receiptId: string,
  { promptTokens, items, cache }: Receipt,
  request: ModelRequest,
): SentTokens => ({
  receiptId,
  tokens: promptTokens,
  tools: items.find(({ kind }) => kind === "tools")?.tokens ?? 0,
  shared: cache.shared,
  hasImages: request.messages.some((message) => message.role === "user" && (message.images ?? []).length > 0),
});

/** Tokenizers differ by less than this: a report below it means that part of the prompt was not read. */
const LEAST_SHARE = 0.6;
/** The same once an earlier call has shown how the provider counts. */
const LEAST_CALIBRATED_SHARE = 0.7;
/** A smaller difference is not worth a warning. */
const LEAST_MISSING = 500;
/** No model server has a smaller context window: a report below it is no count of the prompt. */
const LEAST_WINDOW = 1_000;
/** How near a report is to the tokens that no cache held, when a server counts only those. */
const NEAR = 0.3;

/**
 * Compares the input tokens that a provider reports with what was sent. `ratio`: the most that was ever
 * reported for a token sent to the same model. True when a large part of the prompt cannot have been read: a model server that
 * truncates a long prompt answers as if nothing had happened.
 */
export function isTruncated(sent: SentTokens, usage: Usage, ratio: number | null): boolean {
  const reported = usage.inputTokens;
  if (usage.estimated || reported < LEAST_WINDOW || sent.hasImages) return false;
  const expected = ratio === null ? sent.tokens - sent.tools : sent.tokens * Math.min(1, ratio);
  const share = ratio === null ? LEAST_SHARE : LEAST_CALIBRATED_SHARE;
  if (reported >= expected * share || expected - reported < LEAST_MISSING) return false;
  const uncached = sent.tokens - sent.shared;
  return sent.shared === 0 || Math.abs(reported - uncached) > uncached * NEAR;
}

/** Reported over sent, the most of all calls: a prompt that was truncated can only lower it. */
export function toRatio({ tokens, hasImages }: SentTokens, usage: Usage, known: number | null): number | null {
  const ratio = usage.inputTokens / tokens;
  if (usage.estimated || usage.inputTokens < LEAST_WINDOW || hasImages || ratio > MOST_RATIO) return known;
  return Math.max(known ?? 0, ratio);
}

const MOST_RATIO = 2;
