import type { Part, PartOf } from "../../../protocol/parts.ts";
import { textOf } from "../../../protocol/fold.ts";
import type { Usage } from "../../../protocol/run.ts";
import type { Answer } from "./answer.ts";
import { answerRestarted } from "./errors.ts";
import { listClientCalls } from "./items.ts";
import { toSeconds } from "./models.ts";

/** Fields of every chunk and of the whole completion. */
type Head = { readonly id: string; readonly createdAt: number; readonly model: string };

const toHead = ({ id, createdAt, model }: Head) => ({ id, created: toSeconds(createdAt), model });

const toChatUsage = (usage: Usage) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});

function toFinishReason({ parts, run }: Answer): "stop" | "length" | "tool_calls" | "content_filter" {
  if (listClientCalls(parts).length > 0) return "tool_calls";
  if (parts.some((part) => part.kind === "notice" && part.code === "content-filter")) return "content_filter";
  // OpenAI has no finish reason for an answer that was stopped on the page, but it is not complete.
  return run?.outcome === "limit" || run?.outcome === "stopped" ? "length" : "stop";
}

const reasoningOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.kind === "reasoning" && part.aside === undefined ? [part.text] : [])).join("\n\n");

/** As the model wrote them. */
export const toArguments = ({ input, inputText }: Pick<PartOf<"tool">, "input" | "inputText">): string =>
  input === undefined || inputText === undefined ? JSON.stringify(input ?? {}) : inputText;

const toToolCalls = (parts: readonly Part[]) =>
  listClientCalls(parts).map((part) => ({
    id: part.callId,
    type: "function" as const,
    function: { name: part.name, arguments: toArguments(part) },
  }));

/** The whole answer to a request that does not stream. */
export function toCompletion(head: Head, answer: Answer, usage: Usage) {
  const calls = toToolCalls(answer.parts);
  const text = textOf(answer.parts);
  const reasoning = reasoningOf(answer.parts);
  const message = {
    role: "assistant" as const,
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...toHead(head),
    object: "chat.completion" as const,
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(answer) }],
    usage: toChatUsage(usage),
    service_tier: "default",
    system_fingerprint: null,
  };
}

type Delta = Readonly<Record<string, unknown>>;
type ChatChunks = {
  /** Chunks for everything in the answer that was not sent yet. */
  readonly update: (answer: Answer) => readonly object[];
  /** The last chunks: calls of the caller's tools, the finish reason, and the usage if it was asked for. */
  readonly end: (answer: Answer, usage: Usage | null) => readonly object[];
};

/** Turns changes of an answer into chunks. Throws if text that was sent is superseded, because it cannot be taken back. */
export function createChatChunks(head: Head, includeUsage: boolean): ChatChunks {
  const sent = new Map<string, number>();
  let hasText = false;
  let isBegun = false;
  const toChunk = (delta: Delta, finish: string | null = null): object => {
    const first = isBegun ? {} : { role: "assistant" };
    isBegun = true;
    return {
      ...toHead(head),
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta: { ...first, ...delta }, logprobs: null, finish_reason: finish }],
      system_fingerprint: null,
      ...(includeUsage ? { usage: null } : {}),
    };
  };
  const toDelta = (part: Part): Delta | undefined => {
    if (part.kind !== "text" && part.kind !== "reasoning") return undefined;
    const from = sent.get(part.id) ?? 0;
    if (part.text.length <= from || (from === 0 && part.aside !== undefined)) return undefined;
    sent.set(part.id, part.text.length);
    const text = part.text.slice(from);
    if (part.kind === "reasoning") return { reasoning_content: text };
    const isSeparate = from === 0 && hasText && !part.joined;
    hasText = true;
    return { content: isSeparate ? `\n\n${text}` : text };
  };
  const update = (answer: Answer): readonly object[] => {
    const isFailed = answer.run?.outcome === "failed";
    return answer.parts.flatMap((part) => {
      if (part.kind === "text" && part.aside !== undefined) {
        if (sent.has(part.id) && !isFailed) throw answerRestarted();
        return [];
      }
      const delta = toDelta(part);
      return delta ? [toChunk(delta)] : [];
    });
  };
  return {
    update,
    end: (answer, usage) => {
      const calls = toToolCalls(answer.parts).map((call, index) => ({ index, ...call }));
      return [
        ...update(answer),
        ...(calls.length === 0 ? [] : [toChunk({ tool_calls: calls })]),
        toChunk({}, toFinishReason(answer)),
        ...(usage === null
          ? []
          : [{ ...toHead(head), object: "chat.completion.chunk", choices: [], usage: toChatUsage(usage) }]),
      ];
    },
  };
}
