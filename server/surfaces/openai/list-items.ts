import { z } from "zod";
import { ApiError } from "../../../protocol/errors.ts";
import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import { toHistoryParts } from "../../run/caller/caller.ts";
import { isClientCall, toHistory, type Item } from "./items.ts";
import { parseWith } from "./parse.ts";
import { toItemId, toItemObject, toOutputItems } from "./response-output.ts";

export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  after: z.string().max(500).optional(),
});

export type ListedItem = { readonly id: string; readonly type: string; readonly [field: string]: unknown };

/** A page of a list in OpenAI's form. */
export function toList(all: readonly ListedItem[], given: object) {
  const { limit, order, after } = parseWith(ListQuery, given);
  const ordered = order === "asc" ? all : all.toReversed();
  const at = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0)
    throw new ApiError("invalid", `The item "${after.slice(0, 100)}" of "after" is not in this list.`);
  const rest = ordered.slice(at + 1);
  const data = rest.slice(0, limit);
  const page = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: rest.length > limit };
  return { object: "list" as const, data, ...page };
}

export type StoredMessage = Pick<MessageView, "id" | "role" | "parts" | "runId">;

/** The items of a stored message. Results of the caller's tools follow the calls of their step. */
export function toInputItems(threadId: string, { id, role, parts, runId }: StoredMessage): readonly ListedItem[] {
  if (role === "user") {
    const files = parts.flatMap((part) =>
      part.kind === "file" ? [{ type: "input_file", filename: part.name ?? "file", file_id: null }] : [],
    );
    const content = [{ type: "input_text", text: textOf(parts) }, ...files];
    return [{ ...{ id: toItemId("msg", threadId, id), type: "message", status: "completed", role }, content }];
  }
  const output = toOutputItems({ threadId, parts, isOver: runId !== null }).filter(({ isDropped }) => !isDropped);
  const calls = Map.groupBy(output.map(({ part }) => part).filter(isClientCall), ({ step }) => step);
  return output.flatMap((item) => {
    const object = toItemObject(item, item.text, true) as ListedItem;
    const ofStep = calls.get(item.part.step) ?? [];
    if (ofStep.at(-1)?.id !== item.part.id) return [object];
    return [object, ...ofStep.filter(({ state }) => isTerminal(state)).map((part) => toCallOutput(threadId, part))];
  });
}

const toCallOutput = (threadId: string, { id, callId, output }: PartOf<"tool">): ListedItem => ({
  ...{ id: toItemId("fco", threadId, id), type: "function_call_output", status: "completed" },
  ...{ call_id: callId, output: String(output) },
});

/** Begins the ids of items that were added by earlier versions, which change with their position. */
export const UNNAMED = "pending-";

/** The messages of items that no response has used yet, as they will be stored. */
export const toPendingMessages = (items: readonly Item[]): readonly StoredMessage[] =>
  toHistory(items, () => []).map((message, index): StoredMessage => {
    const id = message.id ?? `${UNNAMED}${index}`;
    const parts = message.role === "user" ? [{ kind: "text", step: 1, text: message.text } as const] : message.parts;
    return { id, role: message.role, parts: toHistoryParts(parts, id), runId: "" };
  });
