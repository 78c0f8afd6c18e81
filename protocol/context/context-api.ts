import { z } from "zod";
import { AttachmentIds } from "../attachments.ts";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";
import { Usage } from "../run.ts";
import { ContextView, CompactionView, PinView } from "./context.ts";
import { itemKinds, Receipt, slots } from "./receipt.ts";

const Id = ClientId;
const thread = z.object({ threadId: Id });
const none = z.object({});
const MessageText = Text.max(100_000);

/** A piece of a request, as sent to the model. */
export const RequestBlock = z.object({
  slot: z.enum(slots),
  kind: z.enum(itemKinds),
  id: z.string(),
  role: z.enum(["system", "user", "assistant", "tool"]),
  text: z.string(),
});
export type RequestBlock = z.infer<typeof RequestBlock>;

const Shown = {
  system: z.string(),
  /** As sent. */
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
  ),
  blocks: z.array(RequestBlock),
};

/** Final outcome of a model call. */
export const CallOutcome = z.object({
  id: z.string(),
  purpose: z.string(),
  runId: z.string().nullable(),
  step: z.number(),
  attempt: z.number(),
  model: z.string(),
  outcome: z.string(),
  usage: Usage,
  costUsd: z.number().nullable(),
});
export type CallOutcome = z.infer<typeof CallOutcome>;

export const ReceiptLine = z.object({
  id: z.string(),
  createdAt: z.number(),
  policy: z.string(),
  model: z.string(),
  promptTokens: z.number(),
  /** Tokens of the prefix shared with the previous call. */
  shared: z.number(),
  broke: z.string().nullable(),
  opened: z.string().nullable(),
  call: CallOutcome.nullable(),
});
export type ReceiptLine = z.infer<typeof ReceiptLine>;

const receipt = z.object({ threadId: Id, receiptId: Id });

export const contextApi = {
  getContext: {
    summary: "Prompt inputs of a thread: compactions, summaries, pins",
    params: thread,
    query: none,
    body: null,
    status: 200,
    response: ContextView,
  },
  listReceipts: {
    summary: "Receipts of a thread, one per model call, newest first",
    params: thread,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** A receipt id; returns older ones. */
      before: Id.optional(),
    }),
    body: null,
    status: 200,
    /** `nextBefore`: cursor for the next page; null: no more. */
    response: z.object({ receipts: z.array(ReceiptLine), nextBefore: z.string().nullable() }),
  },
  getReceipt: {
    summary: "The contents of one model call: included and omitted items, with reasons",
    params: receipt,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      id: z.string(),
      createdAt: z.number(),
      receipt: Receipt,
      call: CallOutcome.nullable(),
      /** The previous call in this thread. */
      previousId: z.string().nullable(),
      /** If it broke the cache: why, and what that cost. */
      cacheNote: z.string().nullable(),
    }),
  },
  getRequest: {
    summary: "Rebuild the request of a receipt from stored data, and check that its bytes match",
    params: receipt,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      ...Shown,
      verified: z.boolean(),
      /** Inputs that no longer exist. */
      missing: z.array(z.string()),
    }),
  },
  previewContext: {
    summary: "Preview the request that would be sent to the model now. Nothing is stored",
    params: thread,
    query: none,
    body: z
      .object({ text: MessageText, model: z.string().min(1).max(200).optional(), attachments: AttachmentIds })
      .strict(),
    status: 200,
    response: z.object({ receipt: Receipt, ...Shown }),
  },
  undoEpoch: {
    summary: "Undo a compaction: the next prompt shows the messages it replaced, as far as the window allows",
    params: z.object({ threadId: Id, epochId: Id }),
    query: none,
    body: z.object({ id: Id }).strict(),
    status: 200,
    response: CompactionView,
  },
  addPin: {
    summary: "Pin a text so that it is in every prompt of this thread",
    params: thread,
    query: none,
    body: z.object({ id: Id, text: MessageText.min(1).max(2_000), messageId: Id.optional() }).strict(),
    status: 200,
    response: PinView,
  },
  removePin: {
    summary: "Remove a pin",
    params: z.object({ threadId: Id, pinId: Id }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
