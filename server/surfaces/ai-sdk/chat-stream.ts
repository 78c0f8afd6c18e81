import type { MessageHead, ThreadEvent } from "../../../protocol/events.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import { isActive } from "../../../protocol/fold.ts";
import type { RunView } from "../../../protocol/run.ts";
import type { Row } from "../../log/types.ts";
import { toThreadEvent } from "../../store/parse-rows.ts";
import { createAnswerChunks, type OpenText } from "./answer.ts";
import type { Chunk } from "./chunks.ts";

/** An answer as a UI message stream: server-sent events, made from the rows of its thread. */
export type ChatStream = {
  readonly threadId: string;
  /** The rows after this seq have to be passed to `toText`. */
  readonly after: number;
  /** The events of the part of the answer that was stored when the stream was opened. */
  readonly first: string;
  readonly toText: (rows: readonly Row[]) => string;
  /** The stream is complete: close it. */
  readonly isDone: () => boolean;
  /** The stream cannot be completed: cut it. The client resumes with a replay. */
  readonly isBroken: () => boolean;
};

type StoredAnswer = {
  readonly message: MessageView;
  readonly run: RunView;
  /** The client has this many steps of the message. null: it has none of it. */
  readonly clientSteps: number | null;
  /** A decision that the run has not seen yet will continue it. */
  readonly isContinuing: boolean;
};

/** `inputId`: the answer to an input that may not be delivered yet. */
export type Subject = { readonly inputId: string } | StoredAnswer;

export function createChatStream(threadId: string, after: number, subject: Subject): ChatStream {
  let text = "";
  const send = (chunk: Chunk): void => void (text += toEvent(chunk));
  const answer = createAnswerChunks(send, "message" in subject ? subject.clientSteps : null);
  let following: Pick<MessageHead, "id" | "runId"> | null = null;
  let isDelivered = false;
  let isEnded = false;
  /** The beginning of the next delta's row, and of its event, if it is appended to the same text. */
  let next: { readonly head: string; readonly lead: string; readonly to: OpenText } | null = null;

  const open = (message: MessageHead, parts: MessageView["parts"]): void => {
    following = message;
    answer.open({ ...message, threadId }, parts);
  };
  const refuse = (errorText: string): void => {
    send({ type: "error", errorText });
    isEnded = true;
  };

  const find = (event: ThreadEvent): void => {
    if (event.type === "input-withdrawn" && "inputId" in subject && event.inputId === subject.inputId) {
      send({ type: "abort", reason: "The message was withdrawn." });
      send({ type: "finish", finishReason: "interrupted" });
      isEnded = true;
    }
    if (event.type !== "message-added" || !("inputId" in subject)) return;
    const { message } = event;
    const isAnswer = message.role === "assistant" && (isDelivered || message.id === subject.inputId);
    if (isAnswer) open(message, []);
    isDelivered ||= message.id === subject.inputId;
  };

  const onRun = (run: RunView): void => {
    if (run.id !== following?.runId) return;
    // The run was steered and continues in a message below.
    if (run.messageId === following.id) answer.run(run);
    else answer.leave();
  };

  const take = (body: string): void => {
    next = null;
    const event = toThreadEvent({ body });
    if (event.type === "thread-deleted") return refuse("The thread was deleted.");
    if (event.type === "thread-changed" && event.patch.title !== undefined) {
      return send({ type: "data-title", data: { title: event.patch.title }, transient: true });
    }
    if (following === null) return find(event);
    switch (event.type) {
      case "text-delta": {
        if (event.messageId !== following.id) return undefined;
        const to = answer.textDelta(event);
        if (to) next = toNext(body, event.text, to);
        return undefined;
      }
      case "tool-input-delta":
        return event.messageId === following.id ? answer.inputDelta(event) : undefined;
      case "part-settled":
        return event.messageId === following.id ? answer.part(event.part) : undefined;
      case "run-started":
      case "run-stepped":
      case "run-ended":
        return onRun(event.run);
      default:
        return undefined;
    }
  };

  const isDone = (): boolean => isEnded || answer.isDone();
  const flush = (): string => {
    const events = isDone() ? `${text}data: [DONE]\n\n` : text;
    text = "";
    return events;
  };

  if ("message" in subject) {
    const { message, run, isContinuing } = subject;
    open(message, message.parts);
    if (!isContinuing || !isActive(run)) onRun(run);
  }
  return {
    threadId,
    after,
    first: flush(),
    toText: (rows) => {
      for (const { body } of rows) {
        if (isDone() || answer.isBroken()) break;
        if (next !== null && body.startsWith(next.head)) {
          const tail = body.slice(next.head.length);
          // The quotes and the brace are not part of the text.
          next.to.sent += tail.length - 3;
          text += `${next.lead}${tail}\n\n`;
        } else take(body);
      }
      return flush();
    },
    isDone,
    isBroken: answer.isBroken,
  };
}

const toEvent = (chunk: Chunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

/**
 * Deltas of a part are rows that differ only in their text, which is last. So the following ones are copied, without parsing.
 */
function toNext(body: string, delta: string, to: OpenText) {
  const tail = `${JSON.stringify(delta)}}`;
  if (!body.endsWith(`"text":${tail}`)) return null;
  const chunk = JSON.stringify({ type: `${to.kind}-delta`, id: to.id, delta: "" });
  return { head: body.slice(0, -tail.length), lead: `data: ${chunk.slice(0, -`""}`.length)}`, to };
}
