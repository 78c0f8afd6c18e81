import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, ModelEvent } from "../../../protocol/model.ts";
import { say, sentence } from "../../../protocol/sentences.ts";
import type { Usage } from "../../../protocol/run.ts";
import type { Provider } from "./provider.ts";
import type { Watch } from "./watch.ts";

type Finish = LanguageModelV4StreamPart & { type: "finish" };

type FinishOptions = {
  readonly provider: Provider;
  readonly answeredBy: string | undefined;
  readonly calls: number;
  readonly watch?: Watch | undefined;
};

/**
 * The terminal event of a stream that the package reports as finished. Without a finish reason from the provider it
 * counts as cut, unless the server marked its end.
 */
export const toFinish = (part: Finish, options: FinishOptions): ModelEvent => {
  const { raw } = part.finishReason;
  const reason = toReason(part.finishReason, options);
  if (reason === "cut") {
    const text = say(sentence("answer-cut", options.provider.label));
    return { type: "failed", failure: { code: "cut", fault: "provider", ...text }, isCharged: true };
  }
  const costUsd = findCost(part.providerMetadata);
  return {
    type: "finish",
    reason,
    ...(raw !== undefined && (reason === "other" || reason === "interrupted") ? { raw: raw.slice(0, 100) } : {}),
    usage: toUsage(part.usage),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(options.answeredBy === undefined ? {} : { answeredBy: options.answeredBy }),
  };
};

const toReason = (
  { unified, raw }: Finish["finishReason"],
  { provider, calls, watch }: FinishOptions,
): FinishReason | "cut" => {
  const known = raw === undefined ? undefined : byWord.get(raw.toLowerCase());
  if (unified === "interrupted") return "cut";
  if (raw === undefined && (provider.saysFinish || unified === "other")) return watch?.isDone ? "unstated" : "cut";
  const isRefusal =
    watch?.isRefusal === true || (unified === "content-filter" && (raw === undefined || raw === "stop"));
  // Providers name the reason of a step with tool calls differently: the calls decide.
  if (calls > 0 && (known === "stop" || unified === "stop" || isRefusal)) return "tool-calls";
  if (isRefusal) return "refusal";
  if (known === "tool-calls" || (known === undefined && unified === "tool-calls")) {
    return calls === 0 ? "stop" : "tool-calls";
  }
  if (known !== undefined) return known;
  return unified === "error" ? "interrupted" : unified;
};

/** The finish reasons of all providers and servers, in lower case. */
const words: Readonly<Partial<Record<FinishReason, string>>> = {
  stop: "stop end_turn stop_sequence stop_token eos eos_token end_of_turn complete completed finished done end",
  "tool-calls": "tool_calls tool_call tool_use function_call function_calls",
  length:
    "length max_tokens max_output_tokens max_new_tokens max_length model_length token_limit continuation model_context_window_exceeded context_length_exceeded context_window_exceeded",
  "content-filter":
    "content_filter content-filter safety recitation blocklist prohibited_content spii image_safety image_prohibited_content image_recitation moderation sensitive guardrail_intervened",
  refusal: "refusal",
  pause: "pause_turn",
  interrupted:
    "abort aborted cancel cancelled canceled error server_error network_error timeout timed_out insufficient_system_resource malformed_function_call unexpected_tool_call too_many_tool_calls malformed_response no_image failed interrupted preempted",
};

const byWord: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(words).flatMap(([reason, list]) => list.split(" ").map((word) => [word, reason as FinishReason])),
);

/**
 * `inputTokens` includes cached tokens. Impossible figures, or zero for everything, count as not reported.
 */
const toUsage = (usage: LanguageModelV4Usage | undefined): Usage | null => {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const totals = [input?.total, output?.total].filter((total) => total !== undefined);
  if (totals.every((total) => total === 0) || !totals.every(isCount)) return null;
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
const impossibleTokens = 1_000_000_000;

const isCount = (value: number): boolean => value >= 0 && value < impossibleTokens;

const toCount = (value: number | undefined): number => (value !== undefined && isCount(value) ? Math.round(value) : 0);

const findCost = (metadata: Finish["providerMetadata"]): number | undefined => {
  const usage = metadata?.["openrouter"]?.["usage"];
  if (typeof usage !== "object" || usage === null || !("cost" in usage)) return undefined;
  const { cost } = usage;
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
};
