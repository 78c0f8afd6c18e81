import type { Receipt } from "../../protocol/context/receipt.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Usage } from "../../protocol/run.ts";
import type { StepOutput } from "./commit-step.ts";
import type { RunContext } from "./run-context.ts";
import type { RunState } from "./state.ts";
import { toNotice } from "./step/notice.ts";
import type { CallOutcome } from "./step/outcome.ts";

/** Size of a sent request by our own count. */
export type SentTokens = {
  readonly receiptId: string;
  readonly tokens: number;
  /** Tokens of the tool definitions. Providers format and count these differently, or not at all. */
  readonly tools: number;
  /** Tokens of the prefix shared with the previous request. */
  readonly shared: number;
  /** Providers count images differently. */
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

/** Minimum share of our count that is reported for a prompt that was read completely. Tokenizers differ. */
const MIN_SHARE = 0.6;
/** The same without tools, or once an earlier call has shown how the provider counts. */
const MIN_CALIBRATED_SHARE = 0.7;
/** A smaller difference is not worth a warning. */
const MIN_MISSING = 500;
/** No model server has a smaller context window: a smaller report is not a count of the prompt. */
export const MIN_WINDOW = 1_000;
/** Tolerance for reports of servers that count only uncached tokens. */
const NEAR = 0.3;
/** A server may truncate a prompt this far below its window, to fit the tokens of its template. */
const BELOW_WINDOW = 8;

/** Earlier calls of the same model. `ratio`: the highest ratio of reported to sent tokens. */
export type Reports = {
  readonly ratio: number | null;
  readonly last: { readonly sentTokens: number; readonly inputTokens: number } | null;
};

/**
 * Compares the input tokens that a provider reports with what was sent. True when a large part of the prompt cannot have been
 * read: some model servers truncate a long prompt silently. Signs are a count that stays the same while the prompt grows, a
 * count that is a usual window size, or a count that is far too small.
 */
export function isTruncated(sent: SentTokens, usage: Usage, { ratio, last }: Reports): boolean {
  const { tokens, tools, shared } = sent;
  if (usage.estimated || usage.inputTokens < MIN_WINDOW || sent.hasImages) return false;
  // Some servers report uncached and cached tokens separately.
  const reported = usage.inputTokens + usage.cacheReadTokens;
  if (tokens - reported < MIN_MISSING) return false;
  const calibrated = tokens * Math.min(1, ratio ?? 1) * MIN_CALIBRATED_SHARE;
  if (isUsualWindow(usage.inputTokens) && reported < calibrated) return true;
  const least = Math.min(tokens * MIN_SHARE, (tokens - tools) * MIN_CALIBRATED_SHARE);
  const isConstant = last?.inputTokens === usage.inputTokens && tokens - last.sentTokens >= MIN_MISSING;
  if (!isConstant && reported >= (ratio === null ? least : Math.max(least, calibrated))) return false;
  // Others do not report cached tokens at all. That explains a low count only if an earlier prompt was counted completely.
  const uncached = tokens - shared;
  return ratio === null || shared === 0 || Math.abs(reported - uncached) > uncached * NEAR;
}

/** 2,048, 4,096, 8,192 and so on, or just below. */
const isUsualWindow = (tokens: number): boolean => {
  const window = 2 ** Math.ceil(Math.log2(tokens));
  return window >= 2_048 && window - tokens <= BELOW_WINDOW;
};

/** The highest ratio of reported to sent tokens so far. The maximum is used because a truncated prompt can only lower the ratio. */
export function toRatio({ tokens, hasImages }: SentTokens, usage: Usage, known: number | null): number | null {
  const ratio = usage.inputTokens / tokens;
  if (usage.estimated || usage.inputTokens < MIN_WINDOW || hasImages || ratio > MAX_RATIO) return known;
  return Math.max(known ?? 0, ratio);
}

const MAX_RATIO = 2;
/** A smaller ratio means that the server did not count the whole prompt. */
const MIN_RATIO = 0.7;

/**
 * The ratio of this call alone, for the average; null if the count cannot be used. Servers that count only uncached tokens report
 * too few once prompts share a prefix, so a low count is used only without one.
 */
export function toCallRatio({ tokens, shared, hasImages }: SentTokens, usage: Usage): number | null {
  if (usage.estimated || usage.inputTokens < MIN_WINDOW || hasImages) return null;
  const ratio = usage.inputTokens / tokens;
  if (ratio < MIN_RATIO || ratio > MAX_RATIO) return null;
  return ratio < 1 && shared > 0 ? null : ratio;
}

type ReportCheck = { readonly state: RunState; readonly outcome: CallOutcome; readonly sent: SentTokens };

/**
 * Compares the provider's token count with the receipt, and learns how the model counts. A contradiction is recorded in the
 * receipt, shown in the answer, and lowers the window that later prompts are built for.
 */
export async function checkReported(run: RunContext, { state, outcome, sent }: ReportCheck): Promise<StepOutput> {
  if (!outcome.ok) return NOTHING;
  const { model } = state.view;
  const { learnedWindows } = run;
  const { usage } = outcome;
  const known = learnedWindows.reportsOf(model);
  const isContradicted = isTruncated(sent, usage, known);
  learnedWindows.noteReport(model, {
    ratio: isContradicted ? known.ratio : toRatio(sent, usage, known.ratio),
    last: usage.estimated ? known.last : { sentTokens: sent.tokens, inputTokens: usage.inputTokens },
  });
  if (!isContradicted) {
    const read = usage.estimated ? 0 : usage.inputTokens + usage.cacheReadTokens;
    const disproved = read < MIN_WINDOW ? [] : await learnedWindows.disprove(model, read);
    const ratio = toCallRatio(sent, usage);
    if (ratio === null) return disproved.length === 0 ? NOTHING : { parts: [], writes: disproved };
    const learned = learnedWindows.learnRatio(model, await learnedWindows.findRatio(model), ratio);
    return { parts: [], writes: [...disproved, ...learned] };
  }
  const { window, write } = learnedWindows.learn(model, usage.inputTokens);
  const row = await run.store.read.receipt(sent.receiptId);
  if (!row) return NOTHING;
  const receipt = JSON.parse(row.body) as Receipt;
  const contradicted: Receipt = {
    ...receipt,
    checks: [...receipt.checks, { name: "reported-tokens", ok: false }],
    reported: { inputTokens: usage.inputTokens, sentTokens: sent.tokens, window },
  };
  const [reported, sentText, windowText] = [usage.inputTokens, sent.tokens, window.tokens].map(toDigits);
  const text =
    `The model server reports ${reported} input tokens, but about ${sentText} were sent. It probably dropped the oldest part of ` +
    `the conversation. Give the server a larger context window (in Ollama: num_ctx). For the next 24 hours Stonechat sends ` +
    `this model at most ${windowText} tokens.`;
  return {
    parts: [
      toNotice(state, { code: "prompt-truncated", text, values: [usage.inputTokens, sent.tokens, window.tokens] }),
    ],
    writes: [
      { do: "update", table: "receipts", set: { body: JSON.stringify(contradicted) }, where: { id: row.id } },
      write,
    ],
  };
}

const NOTHING: StepOutput = { parts: [], writes: [] };

const toDigits = (tokens: number): string => tokens.toLocaleString("en-US");
