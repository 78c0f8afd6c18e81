import type { UiMessage, UiPart } from "../../../protocol/surfaces/chats.ts";
import { textOf, type MessageView } from "../../../protocol/fold.ts";
import type { RunView } from "../../../protocol/run.ts";
import { createAnswerChunks } from "./answer.ts";
import type { Chunk } from "./chunks.ts";

/** A stored message as the AI SDK's `UIMessage`. An answer is the same as at the end of its stream. */
export function toUiMessage(threadId: string, message: MessageView, run: RunView | undefined): UiMessage {
  if (message.role === "user") return toQuestion(message);
  const answer: FoldedMessage = { metadata: {}, parts: [], texts: new Map() };
  const chunks = createAnswerChunks((chunk) => fold(answer, chunk));
  chunks.open({ ...message, threadId }, message.parts);
  if (run) chunks.run(run);
  return { id: message.id, role: "assistant", metadata: answer.metadata, parts: answer.parts };
}

/** Path of an attachment's content. A client that sends it back refers to the same attachment. */
export const toFileUrl = (attachmentId: string): string => `/api/attachments/${attachmentId}/file`;
export const findAttachmentId = (url: string): string | undefined =>
  /^(?:https?:\/\/[^/]+)?\/api\/attachments\/([\w-]{1,128})\/file$/.exec(url)?.[1];

function toQuestion({ id, parts, createdAt }: MessageView): UiMessage {
  const files = parts.flatMap((part): UiPart[] =>
    part.kind === "file" && part.attachmentId !== undefined
      ? [
          {
            type: "file",
            mediaType: part.mediaType,
            url: toFileUrl(part.attachmentId),
            ...(part.name === undefined ? {} : { filename: part.name }),
          },
        ]
      : [],
  );
  const text = textOf(parts);
  return {
    id,
    role: "user",
    metadata: { createdAt },
    parts: [...files, ...(text === "" ? [] : [{ type: "text", text, state: "done" }])],
  };
}

type FoldedMessage = { metadata: object; readonly parts: UiPart[]; readonly texts: Map<string, UiPart> };

/** Applies a chunk as the AI SDK's client does. */
function fold(to: FoldedMessage, chunk: Chunk): void {
  const findTool = (toolCallId: string) => to.parts.find((part) => part["toolCallId"] === toolCallId);
  switch (chunk.type) {
    case "start":
    case "finish":
    case "message-metadata":
      to.metadata = { ...to.metadata, ...chunk.messageMetadata };
      return;
    case "start-step":
      to.parts.push({ type: "step-start" });
      return;
    case "text-start":
    case "reasoning-start": {
      const isText = chunk.type === "text-start";
      const part: UiPart = isText
        ? { type: "text", text: "", state: "streaming" }
        : { type: "reasoning", id: chunk.id, text: "", state: "streaming" };
      to.texts.set(chunk.id, part);
      to.parts.push(part);
      return;
    }
    case "text-delta":
    case "reasoning-delta": {
      const part = to.texts.get(chunk.id);
      if (part) part["text"] = `${String(part["text"])}${chunk.delta}`;
      return;
    }
    case "text-end":
    case "reasoning-end":
      Object.assign(to.texts.get(chunk.id) ?? {}, { state: "done" });
      return;
    case "tool-input-start":
    case "tool-input-available":
    case "tool-input-error": {
      const { type, toolName, dynamic, ...rest } = chunk;
      const kind = dynamic ? { type: "dynamic-tool", toolName } : { type: `tool-${toolName}` };
      const state = { "tool-input-start": "input-streaming", "tool-input-available": "input-available" };
      to.parts.push({ ...kind, ...rest, state: type === "tool-input-error" ? "output-error" : state[type] });
      return;
    }
    case "tool-approval-request": {
      const { approvalId: id, toolCallId, reason } = chunk;
      const approval = { id, ...(reason === undefined ? {} : { requestReason: reason }) };
      Object.assign(findTool(toolCallId) ?? {}, { state: "approval-requested", approval });
      return;
    }
    case "tool-approval-response": {
      const { approvalId: id, approved, reason } = chunk;
      const approval = { id, approved, ...(reason === undefined ? {} : { reason }) };
      Object.assign(findTool(id) ?? {}, { state: "approval-responded", approval });
      return;
    }
    case "tool-output-available":
      Object.assign(findTool(chunk.toolCallId) ?? {}, { state: "output-available", output: chunk.output });
      return;
    case "tool-output-error":
      Object.assign(findTool(chunk.toolCallId) ?? {}, { state: "output-error", errorText: chunk.errorText });
      return;
    case "tool-output-denied":
      Object.assign(findTool(chunk.toolCallId) ?? {}, { state: "output-denied" });
      return;
    default:
      if (isPart(chunk)) to.parts.push({ ...chunk });
  }
}

const isPart = (chunk: Chunk): boolean =>
  chunk.type === "file" ||
  chunk.type.startsWith("source-") ||
  (chunk.type.startsWith("data-") && !("transient" in chunk));
