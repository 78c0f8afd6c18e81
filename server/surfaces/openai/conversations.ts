import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { loadWindow } from "../../thread/path.ts";
import type { Threads } from "../../thread/threads.ts";
import { joinAnswers, toHistory, withIds, type GivenItem, type Item } from "./items.ts";
import { toInputItems, toList, toPendingMessages, UNNAMED, type ListedItem, type StoredMessage } from "./list-items.ts";
import type { UserActions } from "../../thread/user-actions.ts";
import { toSeconds } from "./models.ts";
import { limits, Metadata, parseWith, toSystem } from "./parse.ts";
import { InputItems } from "./parse-items.ts";
import { resolveReferences } from "./references.ts";

type Deps = {
  readonly read: Reads;
  readonly log: Log;
  readonly threads: Threads;
  readonly userActions: Pick<UserActions, "rewind">;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** `pending`: items that were added to the conversation and go into its thread with the next message. */
type StoredConversation = {
  readonly v: 1;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pending: readonly Item[];
  readonly system: readonly string[];
};

const MOST_MESSAGES = 500;
export const ConversationBody = z.looseObject({ metadata: Metadata, items: InputItems.nullish() });

/** Conversations of the other API: each is a thread with another id and metadata. */
export function createConversations({ read, log, threads, userActions, clock, ids }: Deps) {
  const nextId = () => ids.next();
  const get = async ({ userId }: Principal, id: string): Promise<RowOf<"api_requests">> => {
    const row = id.startsWith("conv_") ? await read.apiRequest(userId, id) : undefined;
    if (row) return row;
    throw new ApiError("not-found", `Conversation with id "${id.slice(0, 100)}" not found.`);
  };
  const change = async (row: RowOf<"api_requests">, stored: StoredConversation): Promise<void> => {
    const { owner, id, body } = row;
    const set = { body: JSON.stringify(stored) };
    const write = { do: "update", table: "api_requests", set, where: { owner, id, body }, expectOne: true } as const;
    if (!(await log.commit({ events: [], writes: [write] })).ok)
      throw new ApiError("conflict", "The conversation was changed by another request. Try again.");
  };

  const resolve = async (principal: Principal, given: GivenItems | null | undefined) => ({
    items: await resolveReferences({ read, threads }, principal, given?.items ?? []),
    system: given?.system ?? [],
  });

  return {
    create: async (principal: Principal, given: object) => {
      const { metadata, items } = parseWith(ConversationBody, given);
      const { pending, system } = withItems({ pending: [], system: [] }, await resolve(principal, items), nextId);
      const threadId = ids.next();
      const title = metadata?.["title"] ?? metadata?.["name"];
      const isTitled = title !== undefined && title.trim() !== "";
      const stored: StoredConversation = { v: 1, metadata: metadata ?? {}, pending, system };
      const row: RowOf<"api_requests"> = {
        ...{ owner: principal.userId, id: `conv_${threadId}`, thread: threadId, message: "", step: 0, hash: "" },
        ...{ stored: 1, body: JSON.stringify(stored), created_at: clock.now() },
      };
      const thread = { id: threadId, profile: "stone", ...(isTitled ? { title } : {}) };
      await threads.create(principal, thread, [{ do: "insert", table: "api_requests", row }]);
      return toObject(row);
    },

    get: async (principal: Principal, id: string) => toObject(await get(principal, id)),

    update: async (principal: Principal, id: string, given: object) => {
      const row = await get(principal, id);
      const { metadata } = parseWith(ConversationBody, given);
      const stored = { ...toStored(row), metadata: metadata ?? {} };
      await change(row, stored);
      return toObject({ ...row, body: JSON.stringify(stored) });
    },

    /** Deletes the thread, too. */
    remove: async (principal: Principal, id: string) => {
      const row = await get(principal, id);
      await threads.remove(principal, row.thread);
      return { id, object: "conversation.deleted" as const, deleted: true };
    },

    items: async (principal: Principal, id: string, query: object) => {
      const row = await get(principal, id);
      const messages = await listMessages({ read, threads }, principal, row);
      const items = messages.flatMap((message) => toInputItems(row.thread, message));
      return toList(items, query);
    },

    getItem: async (principal: Principal, id: string, itemId: string) => {
      const row = await get(principal, id);
      return findItem(row, await listMessages({ read, threads }, principal, row), itemId).item;
    },

    /** Answers with the conversation, as OpenAI's API does. */
    removeItem: async (principal: Principal, id: string, itemId: string) => {
      const row = await get(principal, id);
      const messages = await listMessages({ read, threads }, principal, row);
      const { item, message, siblings } = findItem(row, messages, itemId);
      const stored = toStored(row);
      const pending = toPendingMessages(stored.pending);
      if (pending.some((one) => one.id === message.id)) {
        if (siblings.at(-1)?.id !== itemId) throw undeletable("Delete the items after it first.");
        if (message.id.startsWith(UNNAMED)) throw undeletable("It was added by an earlier version of the server.");
        const at = pending.findIndex((one) => one.id === message.id);
        await change(row, { ...stored, pending: withoutLast(stored.pending, pending, at, item) });
        return toObject(row);
      }
      const isLast = messages.at(-1)?.id === message.id;
      const others = siblings.filter((one) => one.id !== itemId && one.type !== "reasoning");
      if (!isLast || others.length > 0)
        throw undeletable("Of the items that a response has used, only the last message can be deleted, as a whole.");
      await userActions.rewind(principal, row.thread, message.id, { id: ids.next() });
      return toObject(row);
    },

    add: async (principal: Principal, id: string, given: object) => {
      const row = await get(principal, id);
      const { items } = parseWith(ConversationBody, given);
      const stored = toStored(row);
      const { pending, system } = withItems(stored, await resolve(principal, items), nextId);
      await change(row, { ...stored, pending, system });
      const before = new Set(toPendingItems(row.thread, stored.pending).map((item) => item.id));
      const added = toPendingItems(row.thread, pending).filter((item) => !before.has(item.id));
      return toList(added, { order: "asc", limit: 100 });
    },
  };
}

/** The messages of the thread, with items that no response has used yet. */
async function listMessages(
  { read, threads }: Pick<Deps, "read" | "threads">,
  principal: Principal,
  row: RowOf<"api_requests">,
): Promise<readonly StoredMessage[]> {
  const { branch } = await threads.get(principal, row.thread);
  const { messages } = await loadWindow(read, { thread: row.thread, branch, count: MOST_MESSAGES });
  return [...messages, ...toPendingMessages(toStored(row).pending)];
}

export const toStored = ({ body }: Pick<RowOf<"api_requests">, "body">): StoredConversation => ({
  ...{ pending: [], system: [] },
  ...(JSON.parse(body) as StoredConversation),
});

const toObject = (row: RowOf<"api_requests">) => ({
  id: row.id,
  object: "conversation" as const,
  created_at: toSeconds(row.created_at),
  metadata: toStored(row).metadata,
});

const toPendingItems = (thread: string, pending: readonly Item[]): readonly ListedItem[] =>
  toPendingMessages(pending).flatMap((message) => toInputItems(thread, message));

/** An item with its message and all items of that message. */
function findItem({ thread, id }: RowOf<"api_requests">, messages: readonly StoredMessage[], itemId: string) {
  for (const message of messages) {
    const siblings = toInputItems(thread, message);
    const item = siblings.find((one) => one.id === itemId);
    if (item) return { item, message, siblings };
  }
  throw new ApiError("not-found", `Item with id "${itemId.slice(0, 200)}" not found in conversation "${id}".`);
}

const undeletable = (hint: string): ApiError => new ApiError("invalid", `This item cannot be deleted. ${hint}`);

/**
 * Items without the last one of a message: `at` is its position in `messages`. A result is deleted with its call, because a call
 * without a result cannot be sent.
 */
function withoutLast(
  items: readonly Item[],
  messages: readonly StoredMessage[],
  at: number,
  item: ListedItem,
): readonly Item[] {
  // The next message begins with an item that has its id.
  const later = messages.slice(at + 1).map(({ id }) => id);
  const end = items.findIndex((one) => one.role !== "tool" && one.id !== undefined && later.includes(one.id));
  const kept = end < 0 ? items : items.slice(0, end);
  const callId = item.type === "function_call_output" ? item["call_id"] : undefined;
  const isCall = (one: Item) => one.role === "assistant" && one.calls.some((call) => call.callId === callId);
  const index = callId === undefined ? kept.length - 1 : kept.findLastIndex(isCall);
  const left = kept.flatMap((one, position): Item[] => {
    if (callId !== undefined && position > index && one.role === "tool" && one.callId === callId) return [];
    if (position !== index) return [one];
    if (one.role !== "assistant" || callId === undefined) return [];
    const calls = one.calls.filter((call) => call.callId !== callId);
    return calls.length === 0 && one.text === "" ? [] : [{ ...one, calls }];
  });
  return [...left, ...items.slice(kept.length)];
}

type GivenItems = { readonly items: readonly GivenItem[]; readonly system: readonly string[] };
type StoredItems = Pick<StoredConversation, "pending" | "system">;

/**
 * Adds items to a conversation. They are sent with every later request until one is admitted, so they are checked now: a request
 * could not be sent without them.
 */
function withItems(
  { pending, system }: StoredItems,
  given: { readonly items: readonly Item[]; readonly system: readonly string[] },
  nextId: () => string,
): StoredItems {
  const added = joinAnswers(given.items);
  if (added.some((item) => item.role === "user" && item.files.length > 0))
    throw new ApiError(
      "invalid",
      "Items of a conversation cannot contain files. Send them in the input of a response.",
    );
  const all = [...pending, ...withIds(pending, added, nextId)];
  // Throws if a call has no result, or a result no call.
  toHistory(all, () => []);
  const texts = all.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
  if (all.length > limits.items || texts > limits.textCharacters)
    throw new ApiError(
      "too-large",
      "The conversation has too many items that no response has used. Create a response.",
    );
  return { pending: all, system: toSystem({ system, added: given.system }) };
}
