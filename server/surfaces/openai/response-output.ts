import { isTerminal, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { Usage } from "../../../protocol/run.ts";
import type { Answer } from "./answer.ts";
import { findProblem, type Format } from "./answer-problem.ts";
import { toArguments } from "./chat-output.ts";
import type { AnswerFailure } from "./errors.ts";
import { listClientCalls } from "./items.ts";
import { toSeconds } from "./models.ts";
import { readNames, type CalledName } from "./namespaces.ts";

/** An output item with the progress of its text. `kind` decides its events. */
export type OutputItem = {
  readonly id: string;
  readonly kind: "message" | "reasoning" | "function_call" | "mcp_call";
  readonly text: string;
  readonly isDone: boolean;
  /** Superseded by another attempt: streamed, but not part of the response. */
  readonly isDropped: boolean;
  readonly part: Part;
};

const isText = (part: Part): part is TextPart => part.kind === "text" || part.kind === "reasoning";

/** The id contains the thread's id, so that a reference to the item can be resolved. `id`: of a part or a message. */
export const toItemId = (prefix: string, threadId: string, id: string): string => `${prefix}_${threadId}.${id}`;

/**
 * The output items of an answer, in order. Items are listed one after another: an item begins when the one before is complete.
 * So their order does not depend on when the answer is looked at. Those before `from` are left out: their texts are not joined and
 * their arguments not written again.
 */
export function toOutputItems(
  { threadId, parts, isOver }: Pick<Answer, "threadId" | "parts" | "isOver">,
  from = 0,
): readonly OutputItem[] {
  const items: OutputItem[] = [];
  const visible = parts.filter((part) => (isText(part) ? part.text !== "" : part.kind === "tool" && !part.aside));
  let count = 0;
  let last: Part | undefined;
  for (const [index, part] of visible.entries()) {
    if (isText(part)) {
      const isDone = isOver || index + 1 < visible.length || part.state === "done" || part.aside !== undefined;
      const isJoined = part.kind === "text" && part.joined && last?.kind === "text" && last.aside === undefined;
      const open = isJoined ? items.pop() : undefined;
      if (open) items.push({ ...open, text: open.text + part.text, isDone });
      else if (!isJoined && count >= from) items.push(toTextItem(threadId, part, isDone));
      if (!isJoined) count += 1;
    } else if (part.kind === "tool") {
      const isReady = part.client === true || isTerminal(part.state);
      if (!isReady) break;
      if (count >= from) items.push(toCallItem(threadId, part));
      count += 1;
    }
    last = part;
  }
  return items;
}

type TextPart = PartOf<"text"> | PartOf<"reasoning">;
const toTextItem = (threadId: string, part: TextPart, isDone: boolean): OutputItem => ({
  id: toItemId(part.kind === "text" ? "msg" : "rs", threadId, part.id),
  kind: part.kind === "text" ? "message" : "reasoning",
  ...{ text: part.text, isDone, isDropped: part.aside !== undefined, part },
});

const toCallItem = (threadId: string, part: PartOf<"tool">): OutputItem => ({
  id: toItemId(part.client ? "fc" : "mcp", threadId, part.id),
  kind: part.client ? "function_call" : "mcp_call",
  ...{ text: toArguments(part), isDone: true, isDropped: false, part },
});

export const toContentPart = (text: string) => ({ type: "output_text" as const, text, annotations: [], logprobs: [] });

/** An item in OpenAI's form. `text` may be empty while it is being written. */
export function toItemObject(
  { id, kind, part, isDropped }: OutputItem,
  text: string,
  isDone: boolean,
  toCalled: (name: string) => CalledName = (name) => ({ name }),
): object {
  const status = isDropped ? "incomplete" : isDone ? "completed" : "in_progress";
  switch (kind) {
    case "message": {
      const content = isDone ? [toContentPart(text)] : [];
      return { id, type: "message", status, role: "assistant", content };
    }
    case "reasoning":
      return { id, type: "reasoning", status, summary: isDone ? [{ type: "summary_text", text }] : [] };
    case "function_call": {
      const { callId, name } = part as PartOf<"tool">;
      const called = toCalled(name);
      return { id, type: "function_call", status, call_id: callId, ...called, arguments: isDone ? text : "" };
    }
    case "mcp_call": {
      const { name, state, output, errorText } = part as PartOf<"tool">;
      const result = state === "ok" ? toOutput(output) : null;
      const error = state === "ok" ? null : (errorText ?? state);
      const fields = { server_label: "stonechat", name, arguments: isDone ? text : "", approval_request_id: null };
      return { id, type: "mcp_call", status, ...fields, output: isDone ? result : null, error: isDone ? error : null };
    }
  }
}

const toOutput = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output ?? null));

export type ResponseHead = {
  readonly id: string;
  readonly createdAt: number;
  /** Stored with the request. */
  readonly echo: Readonly<Record<string, unknown>>;
};

type Status = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

function toStatus({ run, isOver, parts }: Answer, failure: AnswerFailure | undefined): Status {
  if (!isOver) return run === null && parts.length === 0 ? "queued" : "in_progress";
  if (listClientCalls(parts).length > 0) return "completed";
  if (run === null || run.outcome === "stopped") return "cancelled";
  if (failure) return "failed";
  return run.outcome === "limit" || isFiltered(parts) ? "incomplete" : "completed";
}

const isFiltered = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.kind === "notice" && part.code === "content-filter");

const toResponseUsage = (usage: Usage) => ({
  input_tokens: usage.inputTokens,
  input_tokens_details: { cached_tokens: usage.cacheReadTokens },
  output_tokens: usage.outputTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.inputTokens + usage.outputTokens,
});

/** As it was requested. */
function toFormat({ text }: ResponseHead["echo"]): Format {
  const { format } = (text ?? {}) as { readonly format?: { readonly type: string; readonly schema?: object } };
  if (format?.type === "json_object") return {};
  return format?.type === "json_schema" ? { ...(format.schema ? { schema: format.schema } : {}) } : undefined;
}

/** A response as it is now. `usage` is null until it is over. */
export function toResponse({ id, createdAt, echo }: ResponseHead, answer: Answer, usage: Usage | null) {
  const problem = answer.isOver ? findProblem(answer, toFormat(echo)) : undefined;
  const status = toStatus(answer, problem);
  const failure = status === "failed" ? problem : undefined;
  const reason = isFiltered(answer.parts) ? "content_filter" : "max_output_tokens";
  const { v: _, system: __, requestHash: ___, ...fields } = echo;
  const output = toOutputItems(answer).filter(({ isDropped }) => !isDropped);
  return {
    id,
    object: "response" as const,
    created_at: toSeconds(createdAt),
    completed_at: status === "completed" && answer.run?.endedAt ? toSeconds(answer.run.endedAt) : null,
    status,
    error: failure ? { code: failure.error.code, message: failure.error.message } : null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    ...fields,
    output: output.filter(({ isDone }) => isDone).map((item) => toItemObject(item, item.text, true, readNames(echo))),
    usage: usage === null ? null : toResponseUsage(usage),
    max_tool_calls: null,
    service_tier: "default",
    top_logprobs: 0,
    truncation: "disabled",
    user: null,
    safety_identifier: null,
    prompt_cache_key: null,
  };
}
