import { ApiError } from "../../../protocol/errors.ts";
import type { Contexts } from "../../run/contexts.ts";
import type { Reads } from "../../store/contract.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Handlers } from "../route-types.ts";

type ContextRoute =
  | "getContext"
  | "listReceipts"
  | "getReceipt"
  | "getRequest"
  | "previewContext"
  | "undoEpoch"
  | "addPin"
  | "removePin";

/** What the model saw, and what it will see. Every id is authorised through its thread. */
export function createContextHandlers(
  contexts: Contexts,
  threads: Threads,
  read: Pick<Reads, "receipt">,
): Pick<Handlers, ContextRoute> {
  const receiptOf = async (threadId: string, receiptId: string) => {
    const row = await read.receipt(receiptId);
    if (row?.thread === threadId) return row;
    throw new ApiError("not-found", "There is nothing of yours under this id.");
  };
  return {
    getContext: async ({ principal, params }) => contexts.view(await threads.get(principal, params.threadId)),
    listReceipts: async ({ principal, params, query }) => {
      const { id } = await threads.get(principal, params.threadId);
      const before = query.before === undefined ? null : await receiptOf(id, query.before);
      return contexts.receipts(id, query.limit, before);
    },
    getReceipt: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.receipt(await receiptOf(id, params.receiptId));
    },
    getRequest: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.request(await receiptOf(id, params.receiptId));
    },
    previewContext: async ({ principal, params, body }) =>
      contexts.preview(await threads.get(principal, params.threadId), body),
    undoEpoch: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.undoEpoch(id, params.epochId);
    },
    addPin: async ({ principal, params, body }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.addPin(id, body);
    },
    removePin: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId);
      return contexts.removePin(id, params.pinId);
    },
  };
}
