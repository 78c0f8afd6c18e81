import type { Receipt } from "../../protocol/context/receipt.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Usage } from "../../protocol/run.ts";

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

/** The least that is reported for a prompt that was read whole, as a share of our count: tokenizers differ. */
const LEAST_SHARE = 0.6;
/** The same once an earlier call has shown how the provider counts, and without the tools, which some do not count. */
const LEAST_CALIBRATED_SHARE = 0.7;
/** A smaller difference is not worth a warning. */
const LEAST_MISSING = 500;
/** No model server has a smaller context window: a report below it is no count of the prompt. */
export const LEAST_WINDOW = 1_000;
/** How near a report is to the tokens that no cache held, when a server counts only those. */
const NEAR = 0.3;
/** How far below its window a server may truncate a prompt: room for the template's own tokens. */
const BELOW_WINDOW = 8;

/** Earlier calls of the same model. `ratio`: the most that was ever reported for a token sent. */
export type Reports = {
  readonly ratio: number | null;
  readonly last: { readonly sentTokens: number; readonly inputTokens: number } | null;
};

/**
 * Compares the input tokens that a provider reports with what was sent. True when a large part of the prompt cannot have been
 * read: a model server that truncates a long prompt answers as if nothing had happened. It shows by a count that stays the same
 * while the prompt grows, a count that is a usual window size, or one that is far too small.
 */
export function isTruncated(sent: SentTokens, usage: Usage, { ratio, last }: Reports): boolean {
  const { tokens, tools, shared } = sent;
  if (usage.estimated || usage.inputTokens < LEAST_WINDOW || sent.hasImages) return false;
  // Some servers count only what no cache held, and the rest apart.
  const reported = usage.inputTokens + usage.cacheReadTokens;
  if (tokens - reported < LEAST_MISSING) return false;
  const calibrated = tokens * Math.min(1, ratio ?? 1) * LEAST_CALIBRATED_SHARE;
  if (isUsualWindow(usage.inputTokens) && reported < calibrated) return true;
  const least = Math.min(tokens * LEAST_SHARE, (tokens - tools) * LEAST_CALIBRATED_SHARE);
  const isConstant = last?.inputTokens === usage.inputTokens && tokens - last.sentTokens >= LEAST_MISSING;
  if (!isConstant && reported >= (ratio === null ? least : Math.max(least, calibrated))) return false;
  // Others do not report the rest at all: only once a prompt was counted whole can that be the reason.
  const uncached = tokens - shared;
  return ratio === null || shared === 0 || Math.abs(reported - uncached) > uncached * NEAR;
}

/** 2,048, 4,096, 8,192 and so on, or just below. */
const isUsualWindow = (tokens: number): boolean => {
  const window = 2 ** Math.ceil(Math.log2(tokens));
  return window >= 2_048 && window - tokens <= BELOW_WINDOW;
};

/** Reported over sent, the most of all calls: a prompt that was truncated can only lower it. */
export function toRatio({ tokens, hasImages }: SentTokens, usage: Usage, known: number | null): number | null {
  const ratio = usage.inputTokens / tokens;
  if (usage.estimated || usage.inputTokens < LEAST_WINDOW || hasImages || ratio > MOST_RATIO) return known;
  return Math.max(known ?? 0, ratio);
}

const MOST_RATIO = 2;
