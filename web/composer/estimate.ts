import type { ModelInfo } from "../../protocol/api.ts";
import type { Attachment } from "../../protocol/attachments.ts";
import { attachmentLimits, divideTokens, tokensOfImage } from "../../protocol/attachment-limits.ts";
import type { ReceiptLine } from "../../protocol/context/context-api.ts";

/** The start of the thread's next prompt, as far as known from the last call. */
export type Basis = {
  readonly promptTokens: number;
  /** Tokens of the answer, which is part of the next prompt. */
  readonly answerTokens: number;
  /** Whether the provider caches prompts. */
  readonly isCached: boolean;
};

export type Estimate = {
  readonly promptTokens: number;
  /** Cost without the answer; null: no price is known. */
  readonly costUsd: number | null;
};

/** Overhead of a message or file, and of its context update. */
const frameTokens = 40;

export const toBasis = ({ promptTokens, call }: Pick<ReceiptLine, "promptTokens" | "call">): Basis => ({
  promptTokens,
  answerTokens: call?.usage.outputTokens ?? 0,
  isCached: call !== null && call.usage.cacheReadTokens + call.usage.cacheWriteTokens > 0,
});

/** About four characters per token in Latin script, fewer in others; long texts are judged by their beginning. */
export function countRoughly(text: string): number {
  const sample = text.slice(0, 4000);
  if (sample === "") return 0;
  const wide = sample.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu);
  const other = sample.match(/[\u0250-\uffff]/g);
  const dense = wide?.length ?? 0;
  const half = (other?.length ?? 0) - dense;
  const tokens = dense * 0.8 + half / 2.2 + (sample.length - dense - half) / 4;
  return Math.max(1, Math.ceil((tokens * text.length) / sample.length));
}

type Receiver = { readonly windowTokens: number | null; readonly vision?: boolean | undefined };

/** The text and its files. Models that see also get pictures of pages. */
export function countSentTokens(text: string, files: readonly Size[], { windowTokens, vision }: Receiver): number {
  const limits = divideTokens(
    files.map(({ tokens }) => tokens ?? 0),
    windowTokens,
  );
  const ofFiles = files.map(({ kind, width, height }, index) =>
    kind === "text" ? (limits[index] ?? 0) : tokensOfImage(width ?? 0, height ?? 0),
  );
  const pages = files.map(({ pageCount }) => Math.min(attachmentLimits.pagePictures, pageCount ?? 0));
  const ofPages = vision ? pages.reduce((sum, count) => sum + count * tokensOfImage(2000, 2000), 0) : 0;
  return ofFiles.reduce((sum, tokens) => sum + frameTokens + tokens, countRoughly(text) + ofPages);
}

type Size = Pick<Attachment, "kind" | "tokens" | "width" | "height"> & Partial<Pick<Attachment, "pageCount">>;

/** A rough estimate, cheap enough for every key press; the preview gives the exact number. */
export function estimate(
  addedTokens: number,
  basis: Basis,
  model: Pick<ModelInfo, "prices" | "free"> | undefined,
): Estimate {
  const promptTokens = basis.promptTokens + basis.answerTokens + addedTokens + frameTokens;
  return { promptTokens, costUsd: priceOf(promptTokens, basis, model) };
}

function priceOf(
  promptTokens: number,
  { promptTokens: known, isCached }: Basis,
  model: Pick<ModelInfo, "prices" | "free"> | undefined,
): number | null {
  if (!model) return null;
  if (model.free) return 0;
  const { input, cacheRead } = model.prices;
  if (input === null) return null;
  const read = isCached && cacheRead !== null ? known : 0;
  return (read * (cacheRead ?? input) + (promptTokens - read) * input) / 1_000_000;
}
