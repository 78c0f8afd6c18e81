import { api, type Body, type Response as Answer } from "../../../protocol/api.ts";
import type { ChatRequest, UiMessage } from "../../../protocol/surfaces/chats.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { isActive, type MessageView } from "../../../protocol/fold.ts";
import { ClientId } from "../../../protocol/ids.ts";
import type { RunView } from "../../../protocol/run.ts";
import type { Principal } from "../../auth/principal.ts";
import { hashOf } from "../../lib/content-hash.ts";
import type { RowOf } from "../../store/schema.ts";
import { assertLength, readLongestMessage } from "../../thread/longest-message.ts";
import { toStoredRun } from "../../thread/snapshot.ts";
import type { UserActions } from "../../thread/user-actions.ts";
import { createChatStream, type ChatStream } from "./chat-stream.ts";
import { continueAnswer } from "./continue-answer.ts";
import {
  findOnPath,
  findOtherVersion,
  findBranchPoint,
  listFileUrls,
  toInputId,
  toMessageText,
  toRepeatedId,
  toThreadId,
  withRest,
} from "./find-branch-point.ts";
import { storeFiles } from "./store-files.ts";
import { ignoreConflict, isConflict, type ChatOptions, type Turn } from "./turn.ts";
import { toUiMessage } from "./ui-message.ts";

/**
 * Chats of the AI SDK: a chat is one of our threads under an id of the client's choice. A request is mapped to the actions of
 * the page (send, edit, regenerate, decide, stop), and its response is the answer's events as chunks. The thread's history is
 * never overwritten: where the client's list disagrees, its new message becomes a branch.
 */
export type Chats = ReturnType<typeof createChats>;
export type { ChatStream };

/**
 * A finished answer is replayed for this long, so that a client that lost its connection shortly before the end gets the rest.
 * The request does not say how much the client has.
 */
const REPLAY_MS = 60_000;

/** The largest number of messages that are returned as a chat's history. */
const MOST_MESSAGES = 1_000;

export function createChats(options: ChatOptions) {
  const { store, threads, userActions, clock } = options;
  const { read } = store;

  /** The chat's thread: the one that was created for it, or an own thread with this id. */
  const findThread = async (principal: Principal, chatId: string): Promise<RowOf<"threads"> | undefined> => {
    const row =
      (await read.thread(toThreadId(principal.userId, chatId))) ??
      (ClientId.safeParse(chatId).success ? await read.thread(chatId) : undefined);
    return row?.owner === principal.userId ? row : undefined;
  };
  const getThread = async (principal: Principal, chatId: string): Promise<RowOf<"threads">> => {
    const thread = await findThread(principal, chatId);
    if (thread) return threads.get(principal, thread.id);
    throw new ApiError("not-found", "Not found.");
  };
  const openThread = async (
    principal: Principal,
    request: ChatRequest,
    message: UiMessage,
  ): Promise<RowOf<"threads">> => {
    const known = await findThread(principal, request.id);
    if (known) return known;
    const { model, profile, projectId, temporary } = request;
    assertLength(toMessageText(message), await readLongestMessage(read, principal.userId, profile ?? "stone"));
    const body = {
      id: toThreadId(principal.userId, request.id),
      ...{ model, profile, projectId, temporary },
    };
    // Another request of this chat may have created it in the meantime, with another model.
    const created = threads.create(principal, parse(api.createThread.body, body));
    await created.catch(async (error: unknown) => {
      if (!isConflict(error) || !(await findThread(principal, request.id))) throw error;
    });
    return threads.get(principal, body.id);
  };

  /** Requests that are being admitted. A stop that comes later applies to them, too. */
  const admissions = new Set<{ readonly chat: string; readonly ended: Promise<unknown> }>();
  const toKey = (principal: Principal, chatId: string): string => JSON.stringify([principal.userId, chatId]);
  const admit = async (principal: Principal, request: ChatRequest): Promise<ChatStream> => {
    const messages = listMessages(request);
    const last = messages.at(-1);
    const isNew = request.trigger === "submit-message";
    if (!last && isNew) throw new ApiError("invalid", "The request has no message. Send `messages` or `message`.");
    // A request that will be refused does not create a thread.
    if (last?.role === "user") checkMessage(last);
    const thread = await (last?.role === "user"
      ? openThread(principal, request, last)
      : getThread(principal, request.id));
    const turn: Turn = { ...options, principal, thread, request, messages };
    if (!isNew || !last) return regenerate(turn);
    return last.role === "user" ? submit(turn, last) : continueAnswer(turn, last);
  };

  return {
    /** Admits a request and returns the stream of its answer. */
    post: (principal: Principal, request: ChatRequest): Promise<ChatStream> => {
      const ended = admit(principal, request);
      const admission = { chat: toKey(principal, request.id), ended };
      admissions.add(admission);
      return ended.finally(() => admissions.delete(admission));
    },

    /** The stream of the running answer from its beginning. null: nothing is running. */
    resume: async (principal: Principal, chatId: string): Promise<ChatStream | null> => {
      const thread = await findThread(principal, chatId);
      if (!thread) return null;
      const { seq, messages, queue, run } = await threads.open(principal, thread.id, 1);
      const message = messages.at(-1);
      const [next] = queue;
      if (next && (!run || run.state === "ended")) return createChatStream(thread.id, seq, { inputId: next.id });
      if (!run || message?.id !== run.messageId || !isShown(run, clock.now())) return null;
      return createChatStream(thread.id, seq, { message, run, clientSteps: null, isContinuing: false });
    },

    /** Stops the running answer, or withdraws messages whose answer has not started. */
    stop: async (principal: Principal, chatId: string): Promise<{ id: string }> => {
      const chat = toKey(principal, chatId);
      await Promise.allSettled([...admissions].filter((one) => one.chat === chat).map(({ ended }) => ended));
      const { id } = await getThread(principal, chatId);
      if (!(await read.liveRun(id))) {
        for (const input of await read.queued(id)) await ignoreConflict(userActions.withdraw(principal, id, input.id));
      }
      await userActions.stop(principal, id, { id: options.ids.next() });
      return { id: chatId };
    },

    /** The chat's messages as the client has them at the end of their streams. A chat begins with its first message. */
    history: async (principal: Principal, chatId: string): Promise<Answer<"getChat">> => {
      const thread = await findThread(principal, chatId);
      const threadId = thread?.id ?? toThreadId(principal.userId, chatId);
      if (!thread) return { id: chatId, threadId, title: "", isActive: false, messages: [] };
      const { messages, run, thread: summary } = await threads.open(principal, thread.id, MOST_MESSAGES);
      const runs = new Map((await read.runs(thread.id, MOST_MESSAGES)).map((row) => [row.id, toStoredRun(row).view]));
      return {
        id: chatId,
        threadId,
        title: summary.title,
        isActive: isActive(run),
        messages: messages.map((message) => toUiMessage(threadId, message, runs.get(message.runId ?? ""))),
      };
    },
  };
}

/** System messages are ignored: instructions come from the profile. */
const listMessages = ({ messages, message }: ChatRequest): readonly UiMessage[] =>
  (messages ?? (message ? [message] : [])).filter(({ role }) => role !== "system");

/** A run that waits for approval is shown too: its client may have lost the request for it. */
const isShown = ({ state, endedAt }: RunView, now: number): boolean =>
  state !== "ended" || (endedAt !== null && now - endedAt < REPLAY_MS);

function checkMessage(message: UiMessage): void {
  const { text } = parse(api.sendMessage.body, { id: toInputId(message), text: toMessageText(message) });
  if (text === "" && listFileUrls(message).length === 0) {
    throw new ApiError("invalid", "A message needs text or a file.");
  }
}

async function submit(turn: Turn, message: UiMessage): Promise<ChatStream> {
  const { store, userActions, principal, request } = turn;
  const { read } = store;
  const { inputId, known } = await findInput(turn, toInputId(message));
  if (known) return repeat(turn, known);
  const { edited, rest, thread } = await findTarget(turn, message);
  const attachments = await storeFiles(turn, message);
  const text = withRest(toMessageText(message), rest, await readLongestMessage(read, thread.owner, thread.profile));
  const body = { id: inputId, text, attachments, ...(request.model === undefined ? {} : { model: request.model }) };
  const admitted =
    edited === null
      ? send(turn, parse(api.sendMessage.body, body))
      : userActions.edit(principal, thread.id, edited, parse(api.editMessage.body, body));
  // The same request may have been admitted in the meantime, with a separate copy of the files.
  const { seq } = await admitted.catch(async (error: unknown) => {
    const winner = await read.input(thread.id, inputId);
    if (winner && isConflict(error)) return winner;
    throw error;
  });
  return createChatStream(thread.id, seq, { inputId });
}

/** The input with this id. After it was withdrawn, the same request is a new one, with the next id. */
async function findInput({ store, thread }: Turn, id: string) {
  for (let count = 1; ; count += 1) {
    const inputId = count === 1 ? id : toRepeatedId(id, count);
    const known = await store.read.input(thread.id, inputId);
    if (known?.state !== "withdrawn") return { inputId, known };
  }
}

/** A run that waits for a decision would hold the new message back, and the client cannot decide while it waits for an answer. */
async function send({ store, userActions, principal, thread, ids }: Turn, body: Body<"sendMessage">) {
  const live = await store.read.liveRun(thread.id);
  const state = live && toStoredRun(live).view.state;
  if (state === "waiting" || state === "parked") await userActions.stop(principal, thread.id, { id: ids.next() });
  return userActions.send(principal, thread.id, body);
}

/** The request was admitted before: its answer is sent again. If it is on another branch, that becomes the active one. */
async function repeat({ store, userActions, principal, thread }: Turn, input: RowOf<"inputs">): Promise<ChatStream> {
  const row = await store.read.message(thread.id, input.id);
  if (row && (await findOnPath(store.read, thread, row.depth))?.id !== row.id) {
    await activate(userActions, principal, thread, row.id);
  }
  return createChatStream(thread.id, input.seq, { inputId: input.id });
}

type Target = {
  /** The stored message that the new one replaces on a new branch. null: it is added at the end. */
  readonly edited: string | null;
  readonly rest: readonly UiMessage[];
  readonly thread: RowOf<"threads">;
};

/** Where the new message belongs: after the longest prefix of the client's list that agrees with the thread. */
async function findTarget(turn: Turn, message: UiMessage): Promise<Target> {
  const { store, userActions, principal, threads, messages } = turn;
  const { read } = store;
  let { thread } = turn;
  const earlier = messages.slice(0, -1);
  if (earlier.length === 0) return { edited: await findVersion(turn, message), rest: [], thread };
  const { at, edited, rest } = await findBranchPoint({ read, thread, earlier });
  if (edited !== null) return { edited, rest, thread };
  if (at && (await findOnPath(read, thread, at.depth))?.id !== at.id) {
    await activate(userActions, principal, thread, at.id);
    thread = await threads.get(principal, thread.id);
  }
  const next = await findOnPath(read, thread, (at?.depth ?? 0) + 1);
  // The client lacks the answer to its last message. The new message goes after that answer.
  const after = next?.role === "assistant" ? await findOnPath(read, thread, next.depth + 1) : next;
  return { edited: after?.id ?? null, rest, thread };
}

/** Finds the message that a client edits if it sends only its last message. */
async function findVersion(
  { store, thread, threads, principal, request }: Turn,
  message: UiMessage,
): Promise<string | null> {
  if (thread.message_count === 0) return null;
  const { messages } = await threads.open(principal, thread.id, 200);
  const other = findOtherVersion(messages, message);
  if (other !== undefined) return other;
  const id = request.messageId ?? message.id;
  const row = ClientId.safeParse(id).success ? await store.read.message(thread.id, id) : undefined;
  return row?.role === "user" ? row.id : null;
}

/** Generates another answer to the client's last message. A message that the thread does not have is sent first. */
async function regenerate(turn: Turn): Promise<ChatStream> {
  const { userActions, principal, thread, request, messages } = turn;
  const last = messages.at(-1);
  const answer = await findAnswer(turn);
  if (!answer) {
    if (last?.role === "user") return submit(turn, last);
    throw new ApiError("not-found", "There is no answer to regenerate.");
  }
  const { message, run } = answer;
  // Without the id of the answer, only an answer that is being written shows that this request is a repeated one.
  const isRepeat = message.id.startsWith(REGENERATED) && run && isActive(run) && !request.messageId;
  const newId = `${REGENERATED}${hashOf({ answer: message.id }).slice(0, 32)}`;
  const { inputId, known } = await findInput(turn, isRepeat ? message.id : newId);
  const body = { id: inputId, ...(request.model === undefined ? {} : { model: request.model }) };
  const seq = known?.seq ?? (await userActions.regenerate(principal, thread.id, message.id, body)).seq;
  return createChatStream(thread.id, seq, { inputId });
}

/** The answer with a regeneration has the id of its input. */
const REGENERATED = "re-";

async function findAnswer(turn: Turn): Promise<{ message: MessageView; run: RunView | null } | undefined> {
  const { store, threads, principal, thread, request, messages } = turn;
  const { read } = store;
  const view = await threads.open(principal, thread.id, 1);
  const withRun = (message: MessageView | undefined) =>
    message?.role === "assistant" ? { message, run: view.run?.messageId === message.id ? view.run : null } : undefined;
  const id = request.messageId ?? "";
  const named = ClientId.safeParse(id).success ? await read.message(thread.id, id) : undefined;
  if (named?.role === "assistant") return withRun({ ...toHeadOnly(named), parts: [] });
  if (messages.length === 0 && !named) return withRun(view.messages.at(-1));
  const { at, edited } = await findBranchPoint({ read, thread, earlier: messages });
  const question = named ?? at;
  if (!question || edited !== null || question.role !== "user") return undefined;
  return withRun(await findOnPath(read, thread, question.depth + 1));
}

const toHeadOnly = ({ id, role, branch, depth, run, created_at }: RowOf<"messages">) => ({
  ...{ id, role, depth, branchId: branch, runId: run, variants: [], createdAt: created_at },
});

/** The id names the state that it starts from, so that a repeated request activates once. */
const activate = (
  userActions: UserActions,
  principal: Principal,
  { id, branch }: RowOf<"threads">,
  messageId: string,
) => userActions.activate(principal, id, messageId, { id: `ac-${hashOf({ branch, messageId }).slice(0, 32)}` });

type Schema<T> = {
  readonly safeParse: (
    value: unknown,
  ) => { success: true; data: T } | { success: false; error: { issues: readonly { message: string }[] } };
};

/** Checks with the schema of our own route, so that nothing is admitted here that it would reject. */
function parse<T>(schema: Schema<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError("invalid", `The message is not valid: ${result.error.issues[0]?.message ?? "unknown"}.`);
}
