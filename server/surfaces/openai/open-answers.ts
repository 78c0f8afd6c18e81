import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import { hashOf } from "../../lib/content-hash.ts";
import type { Ids } from "../../lib/ids.ts";
import { findAnswer, followAnswer, type Answer, type AnswerPosition } from "./answer.ts";
import type { AdmittedRequest, RetryMark } from "./admit-request.ts";
import { ask } from "./ask.ts";
import { createOpenRequests } from "./open-requests.ts";
import { CLIENT_GONE, type OpenAiDeps, type OpenAiRequest } from "./handler.ts";
import { askInTurn } from "./in-turn.ts";
import { chooseModel } from "./models.ts";
import type { ParsedRequest } from "./parse.ts";

/** Admitted requests and their answers. */
export type Answers = ReturnType<typeof createAnswers>;

/** `release`: the client no longer waits for the answer; true if it was the last one. */
export type OpenRequest = AdmittedRequest & { readonly release: () => boolean };
type Prefix = "chatcmpl-" | "resp_";

/** With a key, the same request has the same id. */
const toRequestId = (ids: Ids, prefix: Prefix, { key }: RetryMark): string =>
  `${prefix}${key === undefined ? ids.next() : hashOf({ key }).slice(0, 32)}`;

export function createAnswers(deps: OpenAiDeps) {
  const context = { ...deps, watch: deps.log.watch };
  const follow = (principal: Principal, place: AnswerPosition, signal: AbortSignal) =>
    followAnswer(context, principal, place, signal);

  const openRequests = createOpenRequests();

  /** The answer once it is over. Throws if the client has gone or the answer failed. */
  const wait = async (principal: Principal, asked: OpenRequest, signal: AbortSignal): Promise<Answer> => {
    let last: Answer | undefined;
    try {
      for await (const answer of follow(principal, asked, signal)) last = answer;
    } finally {
      asked.release();
    }
    if (!last?.isOver) throw new ApiError("unavailable", "The request was ended before its answer was complete.");
    return last;
  };

  /** The thread of a conversation or with a name. Several programs may send to it at once. */
  const findSharedThread = async ({ userId }: Principal, { conversationId, previousId, metadata }: ParsedRequest) => {
    if (conversationId !== undefined) return (await deps.read.apiRequest(userId, conversationId))?.thread;
    return previousId === undefined ? metadata["thread"] : undefined;
  };

  /** Admits a request. If its last client closes its connection before the answer is over, the answer is stopped. */
  const admit = async (call: OpenAiRequest, request: ParsedRequest, prefix: Prefix): Promise<OpenRequest> => {
    const { principal, signal, retry } = call;
    const chosen = await chooseModel(deps, principal, request.model);
    const id = toRequestId(deps.ids, prefix, retry);
    const send = () => ask(deps, { principal, id, request, chosen, retry });
    const threadId = await findSharedThread(principal, request);
    const asked = await (threadId === undefined ? send() : askInTurn(context, threadId, signal, send));
    call.onAdmitted();
    const release = openRequests.acquire(asked);
    const onGone = (): void => {
      if (release() && signal.reason === CLIENT_GONE && !request.background)
        void stopAnswer(deps, principal, asked).catch(deps.onError);
    };
    if (signal.aborted) onGone();
    else signal.addEventListener("abort", onGone, { once: true });
    return { ...asked, release };
  };

  /** Also releases the request if the client stops reading. */
  async function* followAsked(principal: Principal, asked: OpenRequest, signal: AbortSignal) {
    try {
      yield* follow(principal, asked, signal);
    } finally {
      asked.release();
    }
  }

  return { follow, followAsked, wait, admit };
}

export async function first(answers: AsyncGenerator<Answer>): Promise<Answer> {
  const { value } = await answers.next();
  await answers.return(undefined);
  if (value === undefined) throw new ApiError("unavailable", "The request was ended.");
  return value as Answer;
}

/** Stops what writes this answer, or withdraws its message. An answer that is over is left alone, and so is the next one. */
export async function stopAnswer(deps: OpenAiDeps, principal: Principal, place: AnswerPosition): Promise<void> {
  const context = { ...deps, watch: deps.log.watch };
  const answer = await first(followAnswer(context, principal, place, new AbortController().signal));
  if (answer.isOver || (answer.messageId === "" && (await withdraw(deps, principal, place)))) return;
  const runId = (await findAnswer(deps.read, place))?.runId;
  if (runId) await deps.userActions.stop(principal, place.thread, { id: deps.ids.next(), runId });
}

/** False: its answer has begun. */
async function withdraw({ userActions }: OpenAiDeps, principal: Principal, { thread, message }: AnswerPosition) {
  try {
    await userActions.withdraw(principal, thread, message);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "conflict") return false;
    throw error;
  }
}
