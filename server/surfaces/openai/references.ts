import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Reads } from "../../store/contract.ts";
import { toPart } from "../../store/parse-rows.ts";
import type { Threads } from "../../thread/threads.ts";
import { copyMessages } from "./copy-path.ts";
import type { GivenItem, Item } from "./items.ts";
import { toInputItems, toPendingMessages, type ListedItem, type StoredMessage } from "./list-items.ts";

type Deps = { readonly read: Reads; readonly threads: Pick<Threads, "get"> };

/** Stored text that one request may name. It is as much as a request may have itself. */
const MOST_CHARACTERS = 12_000_000;

/**
 * Replaces references by the items that they name: messages, calls and results that a stored response or conversation of the
 * same user returned. Reasoning and calls of our own tools add nothing, as when they are sent themselves. An item that is named
 * twice counts once.
 */
export async function resolveReferences(
  deps: Deps,
  principal: Principal,
  given: readonly GivenItem[],
): Promise<readonly Item[]> {
  const threads = new Map<string, Promise<boolean>>();
  const messages = new Map<string, Promise<ReadonlyMap<string, readonly Item[]>>>();
  const load = async (thread: string, message: string): Promise<ReadonlyMap<string, readonly Item[]>> => {
    const isOwn = threads.get(thread) ?? isReturned(deps, principal, thread);
    threads.set(thread, isOwn);
    return (await isOwn) ? loadItems(deps.read, { owner: principal.userId, thread, id: message }) : new Map();
  };
  const items: Item[] = [];
  const used = new Set<string>();
  let size = 0;
  for (const item of given) {
    if (item.role !== "reference") {
      items.push(item);
      continue;
    }
    const [, thread = "", message = ""] = ItemId.exec(item.id) ?? [];
    const place = `${thread}.${message}`;
    const loaded = messages.get(place) ?? load(thread, message);
    messages.set(place, loaded);
    const named = (await loaded).get(item.id);
    if (!named) throw new ApiError("not-found", `Item with id '${item.id.slice(0, 200)}' not found.`);
    if (used.has(item.id)) continue;
    used.add(item.id);
    size += JSON.stringify(named).length;
    if (size > MOST_CHARACTERS) throw new ApiError("too-large", "The items that this request names are too long.");
    items.push(...named);
  }
  return items;
}

const ItemId = /^(?:msg|rs|fc|fco|mcp)_([\w-]{1,128})\.([\w-]{1,128})(?:\.\d{1,9})?$/;

/** Whether the user owns the thread, and it has a request that was not hidden with `store: false` or deleted. */
async function isReturned({ read, threads }: Deps, principal: Principal, id: string): Promise<boolean> {
  try {
    await threads.get(principal, id);
    return await read.hasStoredApiRequest(principal.userId, id);
  } catch (error) {
    if (error instanceof ApiError && error.code === "not-found") return false;
    throw error;
  }
}

async function findStored(read: Reads, thread: string, id: string): Promise<StoredMessage | undefined> {
  const row = await read.message(thread, id);
  if (!row) return undefined;
  return { id, role: row.role, runId: row.run, parts: (await read.partsOf(thread, [id])).map(toPart) };
}

/** A message that was added to a conversation and that no response has used yet. */
async function findPending(read: Reads, owner: string, thread: string, id: string): Promise<StoredMessage | undefined> {
  const row = await read.apiRequest(owner, `conv_${thread}`);
  const { pending = [] } = JSON.parse(row?.body ?? "{}") as { readonly pending?: readonly Item[] };
  return toPendingMessages(pending).find((message) => message.id === id);
}

type MessageKey = { readonly owner: string; readonly thread: string; readonly id: string };

async function loadItems(
  read: Reads,
  { owner, thread, id }: MessageKey,
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const message = (await findStored(read, thread, id)) ?? (await findPending(read, owner, thread, id));
  if (!message) return new Map();
  const toItems = (listed: ListedItem) => (message.role === "user" ? copyMessages([message]) : toItem(listed));
  return new Map(toInputItems(thread, message).map((listed) => [listed.id, toItems(listed)]));
}

function toItem(listed: ListedItem): readonly Item[] {
  switch (listed.type) {
    case "message": {
      const [content] = listed["content"] as readonly { readonly text: string }[];
      return [{ role: "assistant", text: content?.text ?? "", calls: [] }];
    }
    case "function_call": {
      const call = { callId: listed["call_id"], name: listed["name"], args: listed["arguments"] };
      return [{ role: "assistant", text: "", calls: [call as { callId: string; name: string; args: string }] }];
    }
    case "function_call_output":
      return [{ role: "tool", callId: String(listed["call_id"]), text: String(listed["output"]) }];
    default:
      return [];
  }
}
