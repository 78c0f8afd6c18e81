import type { UiMessage } from "../../../protocol/surfaces/chats.ts";
import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { ClientId } from "../../../protocol/ids.ts";
import { hashOf } from "../../lib/content-hash.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { sharedDepth } from "../../thread/path.ts";
import { loadMessageViews } from "../../thread/snapshot.ts";
import { toAuthorColumns, toPart } from "../../thread/rows.ts";

const PREFIX = "ui-";
const HASH_CHARACTERS = 22;

const toHash = (content: object): string => hashOf(content).slice(0, HASH_CHARACTERS);

/** The thread of a chat: the same for every request of this user with this chat id, on every node. */
export const toThreadId = (userId: string, chatId: string): string => `chat-${hashOf({ userId, chatId }).slice(0, 32)}`;

export const toMessageText = ({ parts }: UiMessage): string =>
  parts
    .flatMap((part) => (part.type === "text" && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n\n");

export const listFileUrls = ({ parts }: UiMessage): readonly string[] =>
  parts.flatMap((part) => (part.type === "file" && typeof part["url"] === "string" ? [part["url"]] : []));

/**
 * Our id of a client's message: from its id, and from its content, because a client that edits a message keeps its id. The same
 * message sent again has the same id, so that it is admitted once.
 */
export function toInputId(message: UiMessage): string {
  const known = inputIds.get(message);
  if (known !== undefined) return known;
  const id = `${toIdPrefix(message)}${toHash({ text: toMessageText(message), files: listFileUrls(message) })}`;
  inputIds.set(message, id);
  return id;
}

/** Files make a message large, so it is hashed once per request. */
const inputIds = new WeakMap<UiMessage, string>();

/** The id of a message that is sent again after it was withdrawn `count - 1` times. */
export const toRepeatedId = (inputId: string, count: number): string => `${inputId}-${count}`;

/** Shared by all versions of a client's message. */
const toIdPrefix = ({ id }: UiMessage): string => `${PREFIX}${toHash({ id })}-`;

export type BranchPoint = {
  /** The last message of the client's list, without its new message, that the thread has. null: none. */
  readonly at: RowOf<"messages"> | null;
  /** A stored message that the client has in another version. From there on, the client's list differs from the thread. */
  readonly edited: string | null;
  /** The client's messages after that, which the thread does not have. */
  readonly rest: readonly UiMessage[];
};

type Finding = { readonly read: Reads; readonly thread: RowOf<"threads">; readonly earlier: readonly UiMessage[] };

/** Longest window of the thread that a client's list is compared with. Older messages are found by their ids. */
const WINDOW = 400;
/** Ids of one read. */
const PAGE = 500;

/**
 * The longest prefix of the client's list that agrees with the thread. Messages that the thread never had (a greeting, a system
 * message) do not end the prefix; a message with our id and another text does, and so does a jump to another branch.
 */
export async function findBranchPoint({ read, thread, earlier }: Finding): Promise<BranchPoint> {
  let at: RowOf<"messages"> | null = null;
  let rest: UiMessage[] = [];
  if (thread.message_count === 0) return { at, edited: null, rest: earlier };
  const known = await readStored({ read, thread, earlier });
  const isBelow = createIsBelow(read, known.onPath);
  for (const [index, message] of earlier.entries()) {
    const found = findMessage(known, message);
    if (found === "unknown") rest.push(message);
    else if ("edited" in found) return { at, edited: found.edited, rest: earlier.slice(index) };
    else if (at && !(await isBelow(found.row, at))) return { at, edited: null, rest: earlier.slice(index) };
    else [at, rest] = [found.row, []];
  }
  return { at, edited: null, rest };
}

/** Messages of the thread that the client's list may mean. */
type StoredMessages = {
  readonly window: readonly MessageView[];
  /** Ids in the window, which are on the active path. */
  readonly onPath: ReadonlySet<string>;
  readonly rows: ReadonlyMap<string, RowOf<"messages">>;
  /** Texts of user messages that the client names by our id. */
  readonly texts: ReadonlyMap<string, string>;
};

/** The number of reads does not depend on how many messages are in the window, and grows by one for every `PAGE` others. */
async function readStored({ read, thread: { id: thread, branch }, earlier }: Finding): Promise<StoredMessages> {
  const count = Math.min(WINDOW, earlier.length + 2);
  const window = earlier.length === 0 ? [] : await loadMessageViews(read, { thread, branch, count });
  const onPath = new Set(window.map(({ id }) => id));
  const named = earlier.filter(({ id }) => ClientId.safeParse(id).success);
  const ids = [
    ...earlier.flatMap((one) => (one.role === "user" ? [toInputId(one)] : [])),
    ...named.map(({ id }) => id),
  ];
  const others = await readPages(
    [...new Set(ids)].filter((id) => !onPath.has(id)),
    (page) => read.messagesById(thread, page),
  );
  const rows = new Map([...window.map((view) => toRow(thread, view)), ...others].map((row) => [row.id, row]));
  const texts = new Map(window.map(({ id, parts }) => [id, textOf(parts).trim()]));
  const unread = named.flatMap(({ id }) => (rows.get(id)?.role === "user" && !texts.has(id) ? [id] : []));
  const parts = await readPages(unread, (page) => read.partsOf(thread, page));
  for (const [id, own] of Map.groupBy(parts, ({ message }) => message)) texts.set(id, textOf(own.map(toPart)).trim());
  return { window, onPath, rows, texts };
}

async function readPages<T>(
  ids: readonly string[],
  read: (page: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let start = 0; start < ids.length; start += PAGE) found.push(...(await read(ids.slice(start, start + PAGE))));
  return found;
}

const toRow = (thread: string, message: MessageView): RowOf<"messages"> => ({
  ...{ thread, id: message.id, branch: message.branchId, depth: message.depth, role: message.role },
  ...{ run: message.runId, created_at: message.createdAt },
  ...toAuthorColumns(message.author ?? null),
});

type Match = "unknown" | { readonly row: RowOf<"messages"> } | { readonly edited: string };

function findMessage({ window, rows, texts }: StoredMessages, message: UiMessage): Match {
  const isUser = message.role === "user";
  const sent = isUser ? (rows.get(toInputId(message)) ?? findSentAgain(window, rows, message)) : undefined;
  if (sent) return { row: sent };
  const other = findOtherVersion(window, message);
  if (other !== undefined) return { edited: other };
  const row = rows.get(message.id);
  if (row?.role !== message.role) return "unknown";
  // An answer counts as the stored one even if the client changed its copy, a user message only if its text is the same.
  if (!isUser || texts.get(row.id) === toMessageText(message).trim()) return { row };
  return { edited: row.id };
}

function findSentAgain(window: readonly MessageView[], rows: StoredMessages["rows"], message: UiMessage) {
  const start = `${toInputId(message)}-`;
  const found = window.find(({ id }) => id.startsWith(start));
  return found && rows.get(found.id);
}

/** A message on the active path that came from another version of the client's message. */
export const findOtherVersion = (window: readonly MessageView[], message: UiMessage): string | undefined => {
  if (message.role !== "user") return undefined;
  const prefix = toIdPrefix(message);
  return window.find(({ id }) => id.startsWith(prefix))?.id;
};

/** Whether a message is below another one on the same path. Reads once for each pair of branches. */
function createIsBelow(read: Reads, onPath: ReadonlySet<string>) {
  const shared = new Map<string, Promise<number>>();
  return async (row: RowOf<"messages">, above: RowOf<"messages">): Promise<boolean> => {
    if (row.depth <= above.depth) return false;
    if (row.branch === above.branch || (onPath.has(row.id) && onPath.has(above.id))) return true;
    const key = `${row.branch} ${above.branch}`;
    const depth = shared.get(key) ?? sharedDepth(read, row.thread, row.branch, above.branch);
    shared.set(key, depth);
    return (await depth) >= above.depth;
  };
}

/** The message at this depth of the active path. */
export async function findOnPath(
  read: Reads,
  { id: thread, branch }: RowOf<"threads">,
  depth: number,
): Promise<MessageView | undefined> {
  if (depth < 1) return undefined;
  const [found] = await loadMessageViews(read, { thread, branch, upTo: depth, count: 1 });
  return found?.depth === depth ? found : undefined;
}

const HEADING = "Earlier messages of this chat that the server did not have:";

/**
 * The new message, followed by the client's earlier messages that the thread does not have, so that the model sees them. The
 * newest are kept if not all fit.
 */
export function withRest(text: string, rest: readonly UiMessage[], mostCharacters: number): string {
  const first = rest.findIndex(({ role }) => role === "user");
  if (first === -1) return text;
  const lines = rest.slice(first).flatMap((message) => {
    const said = toMessageText(message).trim();
    return said === "" || message.role === "system"
      ? []
      : [`${message.role === "user" ? "User" : "Assistant"}: ${said}`];
  });
  const room = mostCharacters - text.length - HEADING.length - 4;
  const kept: string[] = [];
  let size = 0;
  for (const line of lines.toReversed()) {
    size += line.length + 2;
    if (size > room) break;
    kept.unshift(line);
  }
  return kept.length === 0 ? text : `${text}\n\n${HEADING}\n\n${kept.join("\n\n")}`;
}
