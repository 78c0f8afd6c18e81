import type { UiMessage, UiPart } from "../../../protocol/surfaces/chats.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { isActive } from "../../../protocol/fold.ts";
import type { Part, PartOf } from "../../../protocol/parts.ts";
import { QUESTION, toDecisionKey, type Answers } from "../../../protocol/question.ts";
import { hashOf } from "../../lib/content-hash.ts";
import { createChatStream, type ChatStream } from "./chat-stream.ts";
import { QUESTION_DATA } from "./chunks.ts";
import { ignoreConflict, type Turn } from "./turn.ts";

/**
 * The client sent its copy of an answer, with decisions about tool calls or answers to questions. They are admitted, and the
 * response continues the client's copy: its last step is sent again, and what follows is added.
 */
export async function continueAnswer(turn: Turn, given: UiMessage): Promise<ChatStream> {
  const { threads, principal, thread } = turn;
  const before = await threads.open(principal, thread.id, 1);
  const asked = before.messages.at(-1);
  if (asked?.role !== "assistant" || asked.id !== given.id) {
    const text =
      "The last message is an answer that this chat does not end with. Reload the chat, or send a new message.";
    throw new ApiError("conflict", text);
  }
  const responses = given.parts
    .flatMap((part) => toResponses(part, asked.parts))
    .filter(({ part }) => isNewest(part, given.parts));
  for (const response of responses) await ignoreConflict(admitResponse(turn, response));
  const { seq, messages, run } = await threads.open(principal, thread.id, 1);
  const message = messages.at(-1);
  if (!run || message?.id !== given.id) throw new ApiError("conflict", "The chat was changed. Reload it.");
  const has = given.parts.filter(({ type }) => type === "step-start").length;
  const steps = message.parts.filter(({ kind }) => kind === "step").length;
  const answered = new Set(responses.map(({ part }) => part.id));
  const isContinuing = isActive(run) && message.parts.some((part) => isAsking(part) && answered.has(part.id));
  return createChatStream(thread.id, seq, { message, run, clientSteps: Math.min(has, steps), isContinuing });
}

type Response = { readonly part: PartOf<"tool"> } & (
  | { readonly decision: "once" | "deny"; readonly word: string }
  | { readonly answers: Answers | null }
);

const isAsking = (part: Part): part is PartOf<"tool"> => part.kind === "tool" && part.state === "asking";

/** The decision or answer in a tool part of the client, if its call is waiting for one. */
function toResponses(given: UiPart, parts: readonly Part[]): readonly Response[] {
  const { toolCallId, state, approval, output } = given as {
    readonly toolCallId?: unknown;
    readonly state?: unknown;
    readonly approval?: { readonly approved?: unknown; readonly reason?: unknown };
    readonly output?: unknown;
  };
  const part = parts.find(({ id }) => id === toolCallId);
  if (!part || !isAsking(part)) return [];
  if (part.asks?.code === QUESTION) {
    if (state === "output-error") return [{ part, answers: null }];
    return state === "output-available" ? [{ part, answers: toAnswers(output) }] : [];
  }
  if (state !== "approval-responded" || typeof approval?.approved !== "boolean") return [];
  const word = typeof approval.reason === "string" ? approval.reason.slice(0, MOST_CHARACTERS) : "";
  return [{ part, decision: approval.approved ? "once" : "deny", word }];
}

/** False if the client's copy has an earlier question of this call: then the request is a repeated one. */
function isNewest(asking: PartOf<"tool">, given: readonly UiPart[]): boolean {
  const shown = given.filter(
    ({ type, data }) => type === QUESTION_DATA && (data as { toolCallId?: unknown } | null)?.toolCallId === asking.id,
  );
  return shown.length === 0 || shown.some(({ id }) => id === toDecisionKey(asking));
}

const MOST_CHARACTERS = 1_000;

/** The output of a question: `{ answers }`, `{ skipped: true }`, or a text for a single question. */
function toAnswers(output: unknown): Answers | null {
  if (typeof output === "string") return { answer: output };
  if (typeof output !== "object" || output === null || !("answers" in output)) return null;
  return typeof output.answers === "object" ? (output.answers as Answers | null) : null;
}

/** The id is made from the approval or question, so that a repeated request decides once. */
function admitResponse({ userActions, principal, thread }: Turn, response: Response): Promise<unknown> {
  const partId = response.part.id;
  const id = `de-${hashOf({ partId: toDecisionKey(response.part) }).slice(0, 32)}`;
  return "answers" in response
    ? userActions.answer(principal, thread.id, { id, partId, answers: response.answers as never })
    : userActions.decide(principal, thread.id, { id, partId, decision: response.decision, word: response.word });
}
