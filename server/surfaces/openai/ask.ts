import { ApiError } from "../../../protocol/errors.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Write } from "../../store/contract.ts";
import { toStoredRun } from "../../store/parse-rows.ts";
import { loadWindow } from "../../thread/path.ts";
import {
  findNamed,
  findThread,
  findTurn,
  orUndefined,
  send,
  supply,
  type AdmittedRequest,
  type AskDeps,
  type Asking,
  type Thread,
} from "./admit-request.ts";
import { toSystem } from "./parse.ts";
import { findAnswer, type AnswerPosition } from "./answer.ts";
import { copyAnswer, copyMessages } from "./copy-path.ts";
import { toStored } from "./conversations.ts";
import {
  hashPrefixes,
  isSameAnswer,
  joinAnswers,
  listClientCalls,
  missingResult,
  toSlice,
  type Item,
} from "./items.ts";
import { resolveReferences } from "./references.ts";
import { admitOnce } from "./retries.ts";

/**
 * Admits a request. The conversation that the caller sends is looked up by its hash: the longest prefix that a thread of the
 * same user has is continued there, and the rest becomes a branch if the thread continues differently. A conversation that no
 * thread has starts a new one.
 */
export async function ask(
  deps: AskDeps,
  request: Pick<Asking, "principal" | "id" | "request" | "chosen" | "retry">,
): Promise<AdmittedRequest> {
  const { previousId, conversationId, metadata, items: given } = request.request;
  const items = joinAnswers(await resolveReferences(deps, request.principal, given));
  const asking: Asking = {
    ...{ ...request, createdAt: deps.clock.now(), hash: "" },
    ...{ system: [], writes: [], isKnown: false },
  };
  const named = (hash: string): Asking => ({ ...asking, hash });
  if (conversationId !== undefined) {
    const hash = hashPrefixes([{ role: "user", text: "", files: [] }, ...items], `conversation ${conversationId}`).at(
      -1,
    );
    return admitOnce(deps, named(hash ?? ""), true, (once) => askInConversation(deps, once, items, conversationId));
  }
  if (items.length === 0) throw noMessage();
  if (previousId !== undefined) {
    const hash = hashPrefixes(items, `response ${previousId}`).at(-1);
    return admitOnce(deps, named(hash ?? ""), false, (once) => askAfter(deps, once, items, previousId));
  }
  const name = metadata["thread"];
  const hashes = hashPrefixes(items, name === undefined ? request.chosen.profile : `thread ${name}`);
  return admitOnce(deps, named(hashes.at(-1) ?? ""), name !== undefined, (once) =>
    askWhole(deps, once, items, { name, hashes }),
  );
}

const noMessage = (): ApiError => new ApiError("invalid", "The request has no message to answer.");

/** `hashes`: of the conversation up to each item. */
type Whole = { readonly name: string | undefined; readonly hashes: readonly string[] };

/** The caller sends the whole conversation. */
async function askWhole(deps: AskDeps, asking: Asking, items: readonly Item[], { name, hashes }: Whole) {
  const { principal } = asking;
  const named = name === undefined ? undefined : await findNamed(deps, principal, name);
  for await (const { place, at, answer } of findKnown(deps, principal, items, hashes)) {
    if (name !== undefined && place.thread !== named?.id) continue;
    const asked = await continueAfter(deps, asking, { place, answer, rest: items.slice(at) });
    if (asked) return asked;
  }
  if (named === undefined) return send(deps, asking, { thread: { name }, target: null, items });
  return askNamed(deps, asking, named, items);
}

const MOST_PREFIXES = 50;
/** Requests that sent the same conversation, of which the newest are compared. Their answers may differ. */
const MOST_SAME = 5;

/** Answers in stored threads that this conversation contains, longest prefix first. `at`: the item after the answer. */
async function* findKnown({ read }: AskDeps, { userId }: Principal, items: readonly Item[], hashes: readonly string[]) {
  const places = items.flatMap((item, index) => (index > 0 && item.role === "assistant" ? [{ item, index }] : []));
  for (const { item, index } of places.slice(-MOST_PREFIXES).toReversed()) {
    for (const place of await read.apiRequestsWith(userId, hashes[index - 1] ?? "", MOST_SAME)) {
      const answer = await findAnswer(read, place);
      if (answer && isSameAnswer(item, toSlice(answer.parts, place.step))) yield { place, at: index + 1, answer };
    }
  }
}

/** The caller sends what follows a response. */
async function askAfter(deps: AskDeps, asking: Asking, items: readonly Item[], previousId: string) {
  const row = await deps.read.apiRequest(asking.principal.userId, previousId);
  if (!row || row.stored === 0 || row.message === "")
    throw new ApiError("not-found", `Previous response with id "${previousId.slice(0, 100)}" not found.`);
  const answer = await findAnswer(deps.read, row);
  const run = await deps.read.run(answer?.runId ?? "");
  if (!answer || !run) throw new ApiError("conflict", "The previous response has not begun yet. Wait until it ends.");
  const calls = listClientCalls(toSlice(answer.parts, row.step));
  assertResults(calls, items);
  if (run.ended === 0 && calls.length === 0)
    throw new ApiError("conflict", "The previous response is still in progress. Wait until it ends, or cancel it.");
  const { system = [] } = JSON.parse(row.body) as { readonly system?: readonly string[] };
  const continued = { ...asking, system };
  const asked = await continueAfter(deps, continued, { place: row, answer, rest: items });
  if (asked) return asked;
  const { messages } = await loadWindow(deps.read, {
    ...{ thread: row.thread, branch: answer.branchId, upTo: answer.depth - 1, count: MOST_COPIED },
  });
  const copied = [...copyMessages(messages), ...copyAnswer(answer.parts, row.step, items), ...items];
  return send(deps, continued, { thread: { name: undefined }, target: null, items: joinAnswers(copied) });
}

const MOST_COPIED = 500;

type KnownAnswer = {
  readonly place: AnswerPosition;
  readonly answer: MessageView;
  /** Items after the answer. */
  readonly rest: readonly Item[];
};

/** Continues a thread after an answer. Undefined if that is not possible there, such as while the thread is busy. */
async function continueAfter(deps: AskDeps, asking: Asking, known: KnownAnswer): Promise<AdmittedRequest | undefined> {
  const { place, answer, rest } = known;
  const thread = await findThread(deps, asking.principal, place.thread);
  if (!thread || thread.profile !== asking.chosen.profile) return undefined;
  if (listClientCalls(toSlice(answer.parts, place.step)).length > 0) return continueCalls(deps, asking, thread, known);
  if (rest[0]?.role !== "user") return undefined;
  const target = await findNext(deps, thread, answer);
  if (target === undefined) return undefined;
  return sendTo(deps, asking, { thread, target, items: rest });
}

/** Undefined while the thread is answering, or if another request was first. */
async function sendTo(
  deps: AskDeps,
  asking: Asking,
  place: { readonly thread: Thread; readonly target: string | null; readonly items: readonly Item[] },
): Promise<AdmittedRequest | undefined> {
  const turn = await findTurn(deps.read, place.thread);
  return turn && orUndefined(send(deps, asking, { ...place, ...turn }));
}

/** The message after this one; null: it is the last one of the active path. Undefined: nothing follows it, and it is on another path. */
async function findNext({ read }: AskDeps, thread: Thread, { id, depth, branchId }: MessageView) {
  for (const branch of new Set([thread.branch, branchId])) {
    const { messages } = await loadWindow(read, { thread: thread.id, branch, upTo: depth + 1, count: 2 });
    const at = messages.findIndex((message) => message.id === id);
    const next = at < 0 ? undefined : messages[at + 1];
    if (next) return next.id;
    if (at >= 0 && branch === thread.branch) return null;
  }
  return undefined;
}

/**
 * After calls of the caller's tools. Their results go to the run that waits for them. If none does, because the results were
 * sent before or a message follows them, the answer up to the calls and the results become a variant.
 */
async function continueCalls(deps: AskDeps, asking: Asking, thread: Thread, { place, answer, rest }: KnownAnswer) {
  const results = new Map(rest.flatMap((item) => (item.role === "tool" ? [[item.callId, item.text] as const] : [])));
  const calls = listClientCalls(toSlice(answer.parts, place.step));
  assertResults(calls, rest);
  const run = await deps.read.run(answer.runId ?? "");
  const isWaiting = run !== undefined && toStoredRun(run).view.state === "waiting";
  if (
    isWaiting &&
    results.size === rest.length &&
    rest.length === calls.length &&
    calls.every(({ state }) => state === "asking")
  ) {
    const given = calls.map(({ id, callId }) => ({ partId: id, output: results.get(callId) ?? "" }));
    const end = { thread: thread.id, message: answer.id, step: calls[0]?.step ?? 0 };
    const supplied = await orUndefined(supply(deps, asking, { place: end, runId: run.id, results: given }));
    if (supplied) return supplied;
  }
  const window = { thread: thread.id, branch: answer.branchId, upTo: answer.depth - 1, count: 1 };
  const { messages } = await loadWindow(deps.read, window);
  const [question] = messages;
  if (question?.role !== "user") return undefined;
  const copied = [...copyMessages(messages, true), ...copyAnswer(answer.parts, place.step, rest)];
  return sendTo(deps, asking, { thread, target: question.id, items: joinAnswers([...copied, ...rest]) });
}

function assertResults(calls: readonly PartOf<"tool">[], items: readonly Item[]): void {
  const given = new Set(items.flatMap((item) => (item.role === "tool" ? [item.callId] : [])));
  const missing = calls.find(({ callId, state }) => state === "asking" && !given.has(callId));
  if (missing) throw missingResult(missing.callId);
}

/** No prefix of the conversation is known in its thread. */
async function askNamed(deps: AskDeps, asking: Asking, thread: Thread, items: readonly Item[]) {
  const turn = await findTurn(deps.read, thread);
  if (!turn) throw new ApiError("conflict", "This thread is still answering. Wait until the answer ends, or stop it.");
  const isOnlyQuestion = items.length === 1;
  if (thread.message_count === 0 || isOnlyQuestion) return send(deps, asking, { thread, target: null, items, ...turn });
  const { messages } = await loadWindow(deps.read, { thread: thread.id, branch: thread.branch, upTo: 1, count: 1 });
  return send(deps, asking, { thread, target: messages[0]?.id ?? null, items, ...turn });
}

/** A conversation is always continued at its end. */
async function askInConversation(
  deps: AskDeps,
  given: Asking,
  items: readonly Item[],
  id: string,
): Promise<AdmittedRequest> {
  const { principal, request } = given;
  const row = await deps.read.apiRequest(principal.userId, id);
  if (!row || !id.startsWith("conv_"))
    throw new ApiError("not-found", `Conversation with id "${id.slice(0, 100)}" not found.`);
  const thread = await deps.threads.get(principal, row.thread);
  const { pending, system, ...stored } = toStored(row);
  if (items.length + pending.length === 0) throw noMessage();
  const asking = { ...given, system };
  /** Fails if items were added at the same time. */
  const update = (left: readonly Item[]): readonly Write[] => {
    if (left.length === pending.length && request.system.length === 0) return [];
    const set = {
      body: JSON.stringify({ ...stored, pending: left, system: toSystem({ system, added: request.system }) }),
    };
    const where = { owner: principal.userId, id, body: row.body };
    return [{ do: "update", table: "api_requests", set, where, expectOne: true }];
  };
  if (items[0]?.role === "tool") {
    // Items that were added after the calls go into the thread with the next message.
    const asked = await continueConversation(deps, { ...asking, writes: update(pending) }, thread, items);
    if (asked) return asked;
  }
  const turn = items[0]?.role === "tool" ? undefined : await findTurn(deps.read, thread);
  if (!turn)
    throw new ApiError("conflict", "Another response of this conversation is in progress. Wait until it ends.");
  // Items that were listed stay as they are.
  const all = [...pending, ...joinAnswers(items)];
  return send(deps, { ...asking, writes: update([]) }, { thread, target: null, items: all, ...turn });
}

/** Results for the calls in the last answer of a conversation. */
async function continueConversation(deps: AskDeps, asking: Asking, thread: Thread, items: readonly Item[]) {
  const { messages } = await loadWindow(deps.read, { thread: thread.id, branch: thread.branch, count: 1 });
  const [answer] = messages;
  const given = new Set(items.flatMap((item) => (item.role === "tool" ? [item.callId] : [])));
  const last = listClientCalls(answer?.parts ?? []).findLast(({ callId }) => given.has(callId));
  if (!answer || !last)
    throw new ApiError("invalid", "The last answer of this conversation has no function call with this id.");
  const place = { thread: thread.id, message: answer.id, step: last.step - 1 };
  return continueCalls(deps, asking, thread, { place, answer, rest: items });
}
