import { ApiError } from "../../../protocol/errors.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { loadWindow } from "../../thread/path.ts";
import {
  findThread,
  findTurn,
  join,
  orUndefined,
  regenerate,
  toRequestHash,
  type AdmittedRequest,
  type AskDeps,
  type Asking,
  type Thread,
} from "./admit-request.ts";
import { findProblem } from "./answer-problem.ts";
import { readAnswer, type Answer } from "./answer.ts";

type Send = (asking: Asking) => Promise<AdmittedRequest>;
type EarlierRequest = Pick<RowOf<"api_requests">, "id" | "thread" | "message" | "step">;

/**
 * Admits a request, unless it is one that was sent before. Clients send a request again after an error or a lost connection,
 * often without saying so. `isShared`: the thread is a conversation or has a name, so its last message is the one before.
 */
export async function admitOnce(
  deps: AskDeps,
  asking: Asking,
  isShared: boolean,
  send: Send,
): Promise<AdmittedRequest> {
  const { principal, id, retry, hash } = asking;
  const repeated = await admitKeyed(deps, asking, send);
  if (repeated) return repeated;
  for (const known of await deps.read.apiRequestsWith(principal.userId, hash, MOST_SAME)) {
    const asked = await repeat(deps, asking, known, isShared);
    if (asked) return asked;
  }
  try {
    return await send(asking);
  } catch (error) {
    // Another request with this key was first, perhaps on another node.
    const isTaken = retry.key !== undefined && error instanceof ApiError && error.code === "conflict";
    const winner = isTaken ? await deps.read.apiRequest(principal.userId, id) : undefined;
    const asked = winner && (await admitKeyed(deps, asking, send));
    if (asked) return asked;
    throw error;
  }
}

/** Requests with the same content, of which the newest are looked at. */
const MOST_SAME = 5;

/** The key determines the id of the request. Messages that were sent since do not matter. */
async function admitKeyed(deps: AskDeps, asking: Asking, send: Send): Promise<AdmittedRequest | undefined> {
  const { principal, id, retry } = asking;
  const row = retry.key === undefined ? undefined : await deps.read.apiRequest(principal.userId, id);
  const thread = row && (await findThread(deps, principal, row.thread));
  if (!row || !thread) return undefined;
  const { requestHash, store } = JSON.parse(row.body) as { readonly requestHash?: string; readonly store?: boolean };
  if (requestHash !== toRequestHash(asking))
    throw new ApiError("invalid", "This Idempotency-Key was used with another request. Use a new key.");
  const answer = await readAnswer(deps.read, row);
  if (answer.isOver ? !isFailed(answer, asking) : !(await isStopping(deps.read, answer))) {
    const place = { thread: row.thread, message: row.message, step: row.step };
    return { ...place, id, createdAt: row.created_at, isKept: store === true };
  }
  if (!answer.isOver) throw stopping();
  const known = { ...asking, isKnown: true };
  return (await answerAgain(deps, known, { known: row, thread, answer })) ?? send(known);
}

/** Undefined if this is a new request. */
async function repeat(deps: AskDeps, asking: Asking, known: EarlierRequest, isShared: boolean) {
  const { principal, retry } = asking;
  const thread = await findThread(deps, principal, known.thread);
  if (!thread) return undefined;
  const answer = await readAnswer(deps.read, known);
  const isMarked = retry.isRetry && retry.key === undefined;
  if (!answer.isOver) {
    if (!isShared || retry.key !== undefined || !(await isSame(deps.read, asking, known))) return undefined;
    if (await isStopping(deps.read, answer)) throw stopping();
    return join(deps, asking, thread, known);
  }
  if (isFailed(answer, asking))
    return isShared || isMarked ? answerAgain(deps, asking, { known, thread, answer }) : undefined;
  // The same message after an answer is a new one, unless the client says that it has not got the answer.
  const isUnread = isShared && isMarked && (await isLast(deps.read, thread, answer));
  return isUnread && (await isSame(deps.read, asking, known)) ? join(deps, asking, thread, known) : undefined;
}

type FailedRequest = { readonly known: EarlierRequest; readonly thread: Thread; readonly answer: Answer };

/**
 * Another answer to the same message, if the failed one is still the end of its thread. Results of the caller's tools are sent
 * again with the steps before them, as when a client changes them.
 */
async function answerAgain(deps: AskDeps, asking: Asking, { known, thread, answer }: FailedRequest) {
  if (known.step > 0 || answer.run?.state !== "ended" || !(await isLast(deps.read, thread, answer))) return undefined;
  if (!(await findTurn(deps.read, thread))) return undefined;
  return orUndefined(regenerate(deps, asking, { thread, answerId: answer.messageId }));
}

const isFailed = (answer: Answer, { request }: Asking): boolean =>
  answer.run?.outcome === "stopped" || findProblem(answer, request.caller.settings?.format) !== undefined;

/** Its client has gone. */
const isStopping = async (read: Reads, { run }: Answer): Promise<boolean> =>
  run !== null && (await read.run(run.id))?.stop === 1;

const stopping = (): ApiError =>
  new ApiError("conflict", "The answer to this request is being stopped. Send the request again.", undefined, 1);

/** Whether the answer ends the active path. A withdrawn message has none. */
async function isLast(read: Reads, { id, branch }: Thread, { messageId }: Answer): Promise<boolean> {
  const { messages } = await loadWindow(read, { thread: id, branch, count: 1 });
  return messages[0]?.id === messageId;
}

async function isSame(read: Reads, asking: Asking, { id }: EarlierRequest): Promise<boolean> {
  const row = await read.apiRequest(asking.principal.userId, id);
  const { requestHash } = JSON.parse(row?.body ?? "{}") as { readonly requestHash?: string };
  return requestHash === toRequestHash(asking);
}
