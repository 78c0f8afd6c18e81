import { createHash } from "node:crypto";
import { ApiError } from "../../../protocol/errors.ts";
import { textOf } from "../../../protocol/fold.ts";
import type { Part, PartOf } from "../../../protocol/parts.ts";
import type { HistoryMessage, HistoryPart } from "../../thread/rows.ts";

/** A file in a message: a `data:` URL, or the address of a picture. */
export type FileInput = { readonly name: string; readonly url: string };
export type ToolCall = { readonly callId: string; readonly name: string; readonly args: string };

/** `id`: of the message that this item begins. An item of a conversation has it before a response has used it. */
type WithId = { readonly id?: string };

/** A message of either API in one form. System text is not part of the conversation. */
export type Item =
  | (WithId & {
      readonly role: "user";
      readonly text: string;
      readonly files: readonly FileInput[];
      /** Ids of files that the thread already has. */
      readonly attached?: readonly string[];
    })
  | (WithId & { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] })
  | { readonly role: "tool"; readonly callId: string; readonly text: string };
/** Names an item that we returned. It is resolved before anything else is done with a request. */
type Reference = { readonly role: "reference"; readonly id: string };
export type GivenItem = Item | Reference;
export type UserItem = Extract<Item, { role: "user" }>;
type AssistantItem = Extract<Item, { role: "assistant" }>;

/** An answer may arrive in several items. They are joined, because the thread has one message for them. */
export const joinAnswers = (items: readonly Item[]): readonly Item[] =>
  items.reduce<Item[]>((all, item) => {
    const last = all.at(-1);
    if (item.role !== "assistant" || last?.role !== "assistant") return [...all, item];
    const text = [last.text, item.text].filter((one) => one !== "").join("\n\n");
    return [...all.slice(0, -1), { role: "assistant", text, calls: [...last.calls, ...item.calls] }];
  }, []);

/** White space is not compared: the two APIs join the texts of an answer differently. */
const squash = (text: string): string => text.replace(/\s+/g, "");

const toContent = (item: Item): unknown => {
  if (item.role === "user") return ["user", item.text, ...item.files.map(({ url }) => url)];
  if (item.role === "tool") return ["tool", item.callId, item.text];
  return ["assistant", squash(item.text), ...item.calls.map(({ callId, name }) => [callId, name])];
};

/** Returns for each item the hash of the conversation up to and including it. */
export function hashPrefixes(items: readonly Item[], scope: string): readonly string[] {
  let before = scope;
  return items.map((item) => {
    before = createHash("sha256")
      .update(`${before}\n${JSON.stringify(toContent(item))}`)
      .digest("base64url");
    return before;
  });
}

/** The parts of an answer that belong to one request: after a step, up to the step in which the caller's tools are called. */
export function toSlice(parts: readonly Part[], afterStep: number): readonly Part[] {
  const after = parts.filter(({ step }) => step > afterStep);
  const end = after.find((part) => isClientCall(part) && part.aside === undefined)?.step;
  return end === undefined ? after : after.filter(({ step }) => step <= end);
}

export const isClientCall = (part: Part): part is PartOf<"tool"> => part.kind === "tool" && part.client === true;

export const listClientCalls = (parts: readonly Part[]): readonly PartOf<"tool">[] =>
  parts.filter(isClientCall).filter(({ aside }) => aside === undefined);

/** Whether this is the answer that the caller was given. */
export const isSameAnswer = (item: AssistantItem, parts: readonly Part[]): boolean => {
  const calls = listClientCalls(parts);
  return (
    squash(item.text) === squash(textOf(parts)) &&
    calls.length === item.calls.length &&
    calls.every(({ callId }, index) => callId === item.calls[index]?.callId)
  );
};

type SplitItems = {
  readonly history: readonly Item[];
  readonly question: UserItem;
  /** Steps of the answer that the caller already has. */
  readonly begun: readonly Item[];
  /** Id of the answer that begins with these steps, if it was listed before. */
  readonly begunId: string | undefined;
};

/** Splits a conversation at its last user message. What follows are calls of the caller's tools with their results. */
export function splitItems(items: readonly Item[]): SplitItems {
  const at = items.findLastIndex(({ role }) => role === "user");
  const question = items[at];
  if (question?.role !== "user") throw new ApiError("invalid", "The conversation needs at least one user message.");
  const begun = items.slice(at + 1);
  if (begun.length > 0 && begun.at(-1)?.role !== "tool")
    throw new ApiError("invalid", "The last message must be from the user or the result of a tool.");
  return { history: items.slice(0, at), question, begun, begunId: toGroupId(begun) };
}

/** Steps of one answer. Every call needs its result, and every result its call. */
export function toHistoryParts(items: readonly Item[]): readonly HistoryPart[] {
  // Some models use the same ids in every step.
  const results = new Map<string, string[]>();
  for (const item of items)
    if (item.role === "tool") results.set(item.callId, [...(results.get(item.callId) ?? []), item.text]);
  let step = 0;
  const parts = items.flatMap((item): HistoryPart[] => {
    if (item.role !== "assistant") return [];
    step += 1;
    const texts: HistoryPart[] = item.text === "" ? [] : [{ kind: "text", step, text: item.text }];
    return [...texts, ...item.calls.map((call) => toToolPart(call, step, results.get(call.callId)?.shift()))];
  });
  const unknown = [...results].find(([, left]) => left.length > 0);
  if (unknown) throw new ApiError("invalid", `No earlier tool call has the id "${unknown[0].slice(0, 100)}".`);
  return parts;
}

function toToolPart({ callId, name, args }: ToolCall, step: number, output: string | undefined): HistoryPart {
  if (output === undefined) throw missingResult(callId);
  const input = parseArguments(args);
  const text = args === "" || JSON.stringify(input) === args ? {} : { inputText: args };
  return { kind: "tool", step, callId, name, input, ...text, output };
}

export const missingResult = (callId: string): ApiError =>
  new ApiError("invalid", `No tool output found for function call ${callId.slice(0, 100)}.`);

const parseArguments = (args: string): unknown => {
  try {
    return JSON.parse(args === "" ? "{}" : args) as unknown;
  } catch {
    return { arguments: args };
  }
};

/** Groups a conversation into messages: a user message, or an answer with all its steps. */
export function toHistory(
  items: readonly Item[],
  filesOf: (item: UserItem) => readonly string[],
): readonly HistoryMessage[] {
  const groups: Item[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    const isNew = item.role !== "tool" && item.id !== undefined;
    if (item.role === "user" || last === undefined || last[0]?.role === "user" || isNew) groups.push([item]);
    else last.push(item);
  }
  return groups.map((group): HistoryMessage => {
    const [first] = group;
    const id = toGroupId(group);
    const named = id === undefined ? {} : { id };
    if (first?.role !== "user") return { ...named, role: "assistant", parts: toHistoryParts(group) };
    const attachments = filesOf(first);
    return { ...named, role: "user", text: first.text, ...(attachments.length === 0 ? {} : { attachments }) };
  });
}

const toGroupId = ([first]: readonly Item[]): string | undefined =>
  first === undefined || first.role === "tool" ? undefined : first.id;

/** Gives an id to the first item of each message. Items that continue the last message of `before` get none. */
export const withIds = (before: readonly Item[], added: readonly Item[], nextId: () => string): readonly Item[] => {
  let last = before.at(-1)?.role;
  return added.map((item) => {
    const isFirst = item.role === "user" || last === undefined || last === "user";
    last = item.role;
    return isFirst && item.role !== "tool" ? { ...item, id: nextId() } : item;
  });
};
