import { limits } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { ClientId } from "../../../protocol/ids.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import { hashOf } from "../../lib/content-hash.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Fetch } from "../../net/fetch.ts";
import type { Reads, Write } from "../../store/contract.ts";
import { toPart, toStoredRun } from "../../store/parse-rows.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import { assertLength, readLongestMessage } from "../../thread/longest-message.ts";
import type { CallerRequest } from "../../thread/rows.ts";
import type { Threads } from "../../thread/threads.ts";
import type { UserActions } from "../../thread/user-actions.ts";
import type { AnswerPosition } from "./answer.ts";
import { notFound } from "./errors.ts";
import { storeFiles } from "./files.ts";
import { isClientCall, splitItems, toHistory, toHistoryParts, type Item } from "./items.ts";
import type { ChosenModel } from "./models.ts";
import { toSystem, toUnsupported, type ParsedRequest } from "./parse.ts";

export type AskDeps = {
  readonly read: Reads;
  readonly log: Pick<Log, "commit">;
  readonly threads: Threads;
  readonly userActions: UserActions;
  readonly attachments: Pick<Attachments, "add" | "remove">;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly uploadsDir: string;
};

export type Thread = RowOf<"threads">;

/** How a client marks a request that it sends again. */
export type RetryMark = {
  /** The client says that it sent the same request before. */
  readonly isRetry: boolean;
  /** Value of the header `Idempotency-Key`. */
  readonly key: string | undefined;
};

/** One request: who sent it, its id in the other API, and its parsed body. */
export type Asking = {
  readonly principal: Principal;
  readonly id: string;
  readonly request: ParsedRequest;
  readonly chosen: ChosenModel;
  readonly retry: RetryMark;
  /** The request of this id was admitted before, and its answer failed: its row is changed. */
  readonly isKnown: boolean;
  readonly createdAt: number;
  /** Hash of the conversation that was sent, or of the items that continue one. */
  readonly hash: string;
  /** System text of earlier requests of this conversation. */
  readonly system: readonly string[];
  /** Rows to commit with the message. */
  readonly writes: readonly Write[];
};

/** A request that was admitted. It is durable, and its answer will be written at this place. */
export type AdmittedRequest = AnswerPosition & {
  readonly id: string;
  readonly createdAt: number;
  /** The response can be read until the user deletes its thread. */
  readonly isKept: boolean;
};

/** Where a message goes: to the end of a thread, as a variant of one of its messages, or into a new thread. */
export type MessageTarget = {
  /** A name is the id of a new thread, which stays in the list. */
  readonly thread: Thread | { readonly name: string | undefined };
  readonly target: string | null;
  readonly items: readonly Item[];
  /** A run that waits for results of the caller's tools. It is stopped in the same commit. */
  readonly stops?: string | undefined;
};

/** Creates the thread if there is none, stores the files, and admits the message with everything that goes before it. */
export async function send(deps: AskDeps, asking: Asking, place: MessageTarget): Promise<AdmittedRequest> {
  const { principal, id, chosen } = asking;
  const { history, question, begun, begunId } = splitItems(place.items);
  const begunParts = toHistoryParts(begun);
  if (!chosen.isPlain) await checkLength(deps, principal, chosen.profile, question.text);
  const isNew = "name" in place.thread;
  const thread =
    "name" in place.thread
      ? await createThread(deps, asking, place.thread)
      : await makePermanent(deps, asking, place.thread);
  const added: string[] = [];
  try {
    const filesOf = await storeFiles(deps, { principal, threadId: thread.id, added }, place.items);
    const inputId = question.id ?? deps.ids.next();
    // Steps that the caller already has are not part of this answer.
    const answer = { thread: thread.id, message: inputId, step: begunParts.at(-1)?.step ?? 0 };
    const { branch, message_count, status } = thread;
    const message = {
      ...{ id: inputId, text: question.text, target: place.target, model: chosen.model },
      attachments: filesOf(question),
      caller: toCaller(asking, thread),
      history: toHistory(history, filesOf),
      ...(begunParts.length === 0 ? {} : { begun: begunParts }),
      ...(begunId === undefined ? {} : { answerId: begunId }),
      ...(isNew ? {} : { expected: { branch, message_count, status } }),
      ...(place.stops === undefined ? {} : { stops: place.stops }),
      writes: [toRow(asking, answer, thread), ...asking.writes],
    };
    await setProfile(deps, asking, thread);
    await deps.userActions.ask(principal, thread.id, message);
    return { ...answer, id, createdAt: asking.createdAt, isKept: isKept(asking, thread) };
  } catch (error) {
    // Another error may have come after the commit.
    if (error instanceof ApiError) {
      for (const file of added) await deps.attachments.remove(principal, file);
      // The name of a deleted thread cannot be used again, so a named one stays.
      if ("name" in place.thread && place.thread.name === undefined) await deps.threads.remove(principal, thread.id);
    }
    throw error;
  }
}

/** A profile with a limit below the usual one has it here, too. Other texts may be as long as the request. */
async function checkLength({ read }: AskDeps, { userId }: Principal, profile: string, text: string): Promise<void> {
  const longest = await readLongestMessage(read, userId, profile);
  if (longest < limits.messageCharacters) assertLength(text, longest);
}

/** Results of the caller's tools for the run that waits for them. */
export type Results = {
  readonly place: AnswerPosition;
  readonly runId: string;
  readonly results: readonly { readonly partId: string; readonly output: string }[];
};

/** Continues a run with results. Throws `conflict` if another request was first. */
export async function supply(
  deps: AskDeps,
  asking: Asking,
  { place, runId, results }: Results,
): Promise<AdmittedRequest> {
  const { principal, id, chosen, writes } = asking;
  const thread = await makePermanent(deps, asking, await deps.threads.get(principal, place.thread));
  await deps.userActions.supply(principal, place.thread, {
    ...{ id: deps.ids.next(), runId, results, caller: toCaller(asking, thread), model: chosen.model },
    writes: [toRow(asking, place, thread), ...writes],
  });
  return { ...place, id, createdAt: asking.createdAt, isKept: isKept(asking, thread) };
}

/** Answers a message again whose answer failed or was stopped. `answerId` is the last message of the thread. */
export async function regenerate(
  deps: AskDeps,
  asking: Asking,
  { thread: given, answerId }: { readonly thread: Thread; readonly answerId: string },
): Promise<AdmittedRequest> {
  const { principal, id, chosen } = asking;
  const thread = await makePermanent(deps, asking, given);
  const place = { thread: thread.id, message: deps.ids.next(), step: 0 };
  const { branch, message_count, status } = thread;
  await setProfile(deps, asking, thread);
  await deps.userActions.askAgain(principal, thread.id, {
    ...{ id: place.message, target: answerId, model: chosen.model, caller: toCaller(asking, thread) },
    expected: { branch, message_count, status },
    writes: [toRow(asking, place, thread)],
  });
  return { ...place, id, createdAt: asking.createdAt, isKept: isKept(asking, thread) };
}

/** A request that was admitted before gets the same answer. */
export async function join(
  { log }: Pick<AskDeps, "log">,
  asking: Asking,
  thread: Thread,
  { message, step }: Pick<AnswerPosition, "message" | "step">,
): Promise<AdmittedRequest> {
  const place = { thread: thread.id, message, step };
  const committed = await log.commit({ events: [], writes: [toRow(asking, place, thread)] });
  if (!committed.ok) throw new ApiError("conflict", "The thread was changed by another request. Try again.");
  return { ...place, id: asking.id, createdAt: asking.createdAt, isKept: isKept(asking, thread) };
}

/** Hash of a request: its conversation, tools, settings and model. Two requests with the same hash are the same. */
export const toRequestHash = ({ request, chosen, hash }: Asking): string => {
  const { caller, instructions, system, background, store, metadata } = request;
  const { model, profile } = chosen;
  return hashOf({ hash, caller, instructions, system, background, store: store ?? null, metadata, model, profile });
};

const isKept = ({ request }: Asking, { temporary }: Pick<Thread, "temporary">): boolean =>
  request.store !== false && temporary === 0;

/** Makes a temporary thread permanent if a request sets `store: true`. */
async function makePermanent(deps: AskDeps, { principal, request }: Asking, thread: Thread): Promise<Thread> {
  if (thread.temporary === 0 || request.store !== true) return thread;
  await deps.userActions.change(principal, thread.id, { id: deps.ids.next(), temporary: false });
  return { ...thread, temporary: 0 };
}

const systemOf = ({ system, request }: Asking): readonly string[] => toSystem({ system, added: request.system });

function toCaller(asking: Asking, { temporary }: Pick<Thread, "temporary">): CallerRequest {
  const { request, chosen } = asking;
  const { instructions, formatInstructions } = request;
  const texts = [instructions, ...systemOf(asking), formatInstructions].filter((text) => text !== "");
  return {
    ...request.caller,
    ...(texts.length === 0 ? {} : { instructions: texts.join("\n\n") }),
    ...(chosen.isPlain ? { isPlain: true } : {}),
    ...(temporary === 1 ? { isUnattended: true } : {}),
  };
}

function toRow(
  asking: Asking,
  { thread, message, step }: AnswerPosition,
  { temporary }: Pick<Thread, "temporary">,
): Write {
  const { principal, request, id, hash } = asking;
  const system = systemOf(asking);
  const kept = system.length === 0 ? {} : { system };
  const row = {
    ...{ owner: principal.userId, id, thread, message, step, hash },
    stored: request.store === false ? 0 : 1,
    body: JSON.stringify({
      ...{
        v: 1,
        model: request.model,
        ...request.echo,
        ...toUnsupported(request),
        store: isKept(asking, { temporary }),
      },
      ...{ ...kept, requestHash: toRequestHash(asking) },
    }),
    created_at: asking.createdAt,
  };
  if (!asking.isKnown) return { do: "insert", table: "api_requests", row };
  const { owner, id: _, ...set } = row;
  return { do: "update", table: "api_requests", set, where: { owner, id }, expectOne: true };
}

type NewThread = Extract<MessageTarget["thread"], { readonly name: string | undefined }>;

/** A thread without a name is temporary, unless the caller asks to store it. */
async function createThread({ threads, ids, read }: AskDeps, asking: Asking, { name }: NewThread): Promise<Thread> {
  const { principal, request, chosen } = asking;
  const id = name ?? ids.next();
  const place = name === undefined ? { temporary: request.store !== true } : { title: name };
  await threads.create(principal, { id, profile: chosen.profile, model: chosen.model, ...place });
  const thread = await read.thread(id);
  if (!thread) throw notFound();
  return thread;
}

/** The user's thread with this name as its id; undefined if there is none. */
export async function findNamed({ threads, read }: AskDeps, principal: Principal, name: string) {
  if (!ClientId.safeParse(name).success)
    throw new ApiError("invalid", '"metadata.thread" must have 1-128 letters, digits, _ or -.');
  return (await read.thread(name)) ? threads.get(principal, name) : undefined;
}

/** A named thread and a conversation use the profile of the newest request. */
async function setProfile(deps: AskDeps, { principal, chosen }: Asking, thread: Thread): Promise<void> {
  if (thread.profile !== chosen.profile)
    await deps.userActions.change(principal, thread.id, { id: deps.ids.next(), profile: chosen.profile });
}

/**
 * Whether a message can be sent to a thread now; undefined while it is answering. `stops`: a run that only waits for the caller's
 * tools. A caller that sends a message instead of results has abandoned it.
 */
export async function findTurn(
  read: Reads,
  { id, status }: Thread,
): Promise<{ readonly stops: string | undefined } | undefined> {
  if (status !== "streaming" && status !== "waiting") return { stops: undefined };
  const row = await read.liveRun(id);
  if (!row || toStoredRun(row).view.state !== "waiting") return undefined;
  const parts = (await read.partsOf(id, [row.message])).map(toPart);
  const asking = parts.filter((part) => part.kind === "tool" && part.state === "asking");
  return asking.length > 0 && asking.every(isClientCall) ? { stops: row.id } : undefined;
}

/** Undefined if the user has no thread with this id. */
export async function findThread({ threads }: AskDeps, principal: Principal, id: string): Promise<Thread | undefined> {
  try {
    return await threads.get(principal, id);
  } catch (error) {
    if (error instanceof ApiError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** Undefined if the thread was changed by another request at the same time. */
export const orUndefined = (asked: Promise<AdmittedRequest>): Promise<AdmittedRequest | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "conflict") return undefined;
    throw error;
  });
