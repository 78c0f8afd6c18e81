import { ApiError } from "../../../protocol/errors.ts";
import type { PromptContexts } from "../../run/prompt-contexts.ts";
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

/** Receipts, pins, compactions and the prompt preview. Every id is authorized through its thread. */
export function createContextHandlers(
  contexts: PromptContexts,
  threads: Threads,
  read: Pick<Reads, "receipt">,
): Pick<Handlers, ContextRoute> {
  const receiptOf = async (threadId: string, receiptId: string) => {
    const row = await read.receipt(receiptId);
    if (row?.thread === threadId) return row;
    throw new ApiError("not-found", "Not found.");
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
      contexts.preview(principal.userId, await threads.get(principal, params.threadId, "change"), body),
    undoEpoch: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId, "change");
      return contexts.undoEpoch(id, params.epochId);
    },
    addPin: async ({ principal, params, body }) => {
      const { id } = await threads.get(principal, params.threadId, "change");
      return contexts.addPin(id, body);
    },
    removePin: async ({ principal, params }) => {
      const { id } = await threads.get(principal, params.threadId, "change");
      return contexts.removePin(id, params.pinId);
    },
  };
}
