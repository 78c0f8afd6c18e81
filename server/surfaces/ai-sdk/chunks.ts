import type { Part, PartOf } from "../../../protocol/parts.ts";
import { isTerminal } from "../../../protocol/parts.ts";
import { findQuestion, QUESTION, toDecisionKey } from "../../../protocol/question.ts";
import type { RunOutcome, RunView, Usage } from "../../../protocol/run.ts";

/** Metadata of an answer: the first three fields come with `start`, the others with its end. */
type AnswerMetadata = {
  readonly threadId: string;
  readonly runId: string | null;
  readonly createdAt: number;
  readonly model?: string;
  readonly outcome?: RunOutcome | "waiting" | "parked";
  readonly reason?: { readonly code: string; readonly text: string };
  readonly usage?: Usage;
  readonly costUsd?: number | null;
  readonly endedAt?: number | null;
};

type ProviderMetadata = { readonly stonechat: Readonly<Record<string, string | number>> };

/** The tool part that a chunk is about. `toolCallId` is the id of our part, which is unique in the chat. */
type ToolHead = {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Set unless the client is to give the result: our tools run on the server. */
  readonly providerExecuted?: true;
  readonly dynamic?: true;
  readonly title?: string;
};

type SourceChunk =
  | {
      readonly type: "source-url";
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string;
      readonly providerMetadata?: ProviderMetadata;
    }
  | { readonly type: "source-document"; readonly sourceId: string; readonly mediaType: string; readonly title: string };

/** The chunks of the AI SDK's UI message stream that we send: a subset of `UIMessageChunk` in `ai` 7. */
export type Chunk =
  | {
      readonly type: "start";
      readonly messageId: string;
      readonly messageMetadata: Pick<AnswerMetadata, "threadId" | "runId" | "createdAt">;
    }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "length" | "tool-calls" | "error" | "interrupted";
      readonly messageMetadata?: Partial<AnswerMetadata>;
    }
  | { readonly type: "message-metadata"; readonly messageMetadata: Partial<AnswerMetadata> }
  | { readonly type: "abort"; readonly reason?: string }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: `${TextKind}-start` | `${TextKind}-end`; readonly id: string }
  | { readonly type: `${TextKind}-delta`; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-start" } & ToolHead)
  | { readonly type: "tool-input-delta"; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({ readonly type: "tool-input-available"; readonly input: unknown } & ToolHead)
  | ({ readonly type: "tool-input-error"; readonly input: unknown; readonly errorText: string } & ToolHead)
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: unknown;
      readonly providerExecuted: true;
    }
  | {
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted: true;
    }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | SourceChunk
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: unknown; readonly transient?: true };

export type TextKind = "text" | "reasoning";

/** How much of a tool call was sent. */
export type ToolStage = "none" | "input-streaming" | "input-available" | "asking" | "question" | "ended";

type ToolPart = PartOf<"tool">;

export const toToolHead = ({ id, name, title, state, asks }: ToolPart): ToolHead => ({
  toolCallId: id,
  toolName: name,
  // A question is the one call that the client answers, with `addToolOutput`. While its input streams, it is not known as one.
  ...(state === "input-streaming" || (state === "asking" && asks?.code === QUESTION) ? {} : { providerExecuted: true }),
  ...(name.startsWith("mcp__") ? { dynamic: true } : {}),
  ...(title === undefined ? {} : { title }),
});

/**
 * The chunks from one stage of a tool call to the stage of its part. null: no chunk leads there, so the step has to be sent again.
 * An answered approval or question cannot be removed from the client's message, and a call that the server runs cannot become
 * one that the client answers.
 */
export function toToolChunks(
  part: ToolPart,
  from: ToolStage,
): { readonly chunks: readonly Chunk[]; readonly stage: ToolStage } | null {
  const { id: toolCallId, state, input, inputText = "", errorText } = part;
  if (state === "input-streaming") {
    if (from !== "none") return { chunks: [], stage: from };
    return {
      chunks: [
        { type: "tool-input-start", ...toToolHead(part) },
        ...(inputText === "" ? [] : [{ type: "tool-input-delta" as const, toolCallId, inputTextDelta: inputText }]),
      ],
      stage: "input-streaming",
    };
  }
  const isQuestion = part.asks?.code === QUESTION;
  const asking = state !== "asking" ? undefined : part.asks?.round === undefined ? "asking" : "question";
  if (from === "ended" || from === asking) return { chunks: [], stage: from };
  if (from === "question" || (from === "asking" && state !== "denied")) return null;
  if (asking === "question" && from === "input-available") return null;
  if (isTerminal(state) && input === undefined) {
    const error = errorText ?? "This tool call did not run.";
    return {
      chunks: [{ type: "tool-input-error", ...toToolHead(part), input: inputText, errorText: error }],
      stage: "ended",
    };
  }
  const given: Chunk[] =
    from === "none" || from === "input-streaming"
      ? [{ type: "tool-input-available", ...toToolHead(part), input: input ?? {} }]
      : [];
  if (state === "asking" && !isQuestion) {
    const reason = part.asks === undefined ? {} : { reason: part.asks.text };
    return {
      chunks: [...given, { type: "tool-approval-request", approvalId: toolCallId, toolCallId, ...reason }],
      stage: "asking",
    };
  }
  if (asking === "question") return { chunks: [...given, toQuestionChunk(part)], stage: "question" };
  if (!isTerminal(state)) return { chunks: given, stage: "input-available" };
  return { chunks: [...given, ...toResult(part)], stage: "ended" };
}

/** A question that was asked while a tool ran, for example by an MCP server. A question of `ask_user` is in the input of its call. */
function toQuestionChunk(part: ToolPart): Chunk {
  const { text, fields } = findQuestion(part) ?? { text: "", fields: [] };
  const data = { toolCallId: part.id, from: part.asks?.text ?? "", text, fields };
  return { type: QUESTION_DATA, id: toDecisionKey(part), data };
}

export const QUESTION_DATA = "data-question";

const DENIED = "The user denied this call";

function toResult({ id: toolCallId, state, output, errorText }: ToolPart): readonly Chunk[] {
  if (state === "ok") {
    return [{ type: "tool-output-available", toolCallId, output: output ?? null, providerExecuted: true }];
  }
  if (state !== "denied") {
    const error = errorText ?? "This tool call did not finish.";
    return [{ type: "tool-output-error", toolCallId, errorText: error, providerExecuted: true }];
  }
  const reason = errorText?.startsWith(`${DENIED}: `) ? { reason: errorText.slice(DENIED.length + 2) } : {};
  return [
    { type: "tool-approval-request", approvalId: toolCallId, toolCallId },
    { type: "tool-approval-response", approvalId: toolCallId, approved: false, ...reason },
    { type: "tool-output-denied", toolCallId },
  ];
}

/** A part that is sent whole: a file, a notice or data. */
export function toWholeChunk(part: Exclude<Part, PartOf<"tool" | "text" | "reasoning">>): Chunk | undefined {
  switch (part.kind) {
    case "file":
      return part.content === undefined
        ? undefined
        : {
            type: "file",
            mediaType: part.mediaType,
            url: `data:${part.mediaType};base64,${part.content}`,
          };
    case "notice": {
      const { level, code, text } = part;
      return { type: "data-notice", id: part.id, data: { level, code, text } };
    }
    case "data":
      return { type: `data-${part.name}`, id: part.id, data: part.value ?? null };
    default:
      return undefined;
  }
}

/** Sources are sent once, at the end of the answer: until then a page that was found may still be read. */
export function toSourceChunk({ id, sourceType, url, title, mediaType, ref, status }: PartOf<"source">): SourceChunk[] {
  if (status === "failed") return [];
  if (sourceType === "document" || url === undefined) {
    return [
      { type: "source-document", sourceId: id, mediaType: mediaType ?? "text/plain", title: title ?? "Document" },
    ];
  }
  return [
    {
      type: "source-url",
      sourceId: id,
      url,
      ...(title === undefined ? {} : { title }),
      ...(ref === undefined ? {} : { providerMetadata: { stonechat: { ref } } }),
    },
  ];
}

export const toMetadata = ({ model, outcome, state, reason, usage, costUsd, endedAt }: RunView) => ({
  model,
  ...(outcome !== null ? { outcome } : state === "waiting" || state === "parked" ? { outcome: state } : {}),
  ...(reason === null ? {} : { reason }),
  usage,
  costUsd,
  endedAt,
});
