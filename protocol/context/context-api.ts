import { z } from "zod";
import { AttachmentIds } from "../attachments.ts";
import { ClientId } from "../ids.ts";
import { Usage } from "../run.ts";
import { ContextView, CompactionView, PinView } from "./context.ts";
import { itemKinds, Receipt, slots } from "./receipt.ts";

const Id = ClientId;
const thread = z.object({ threadId: Id });
const none = z.object({});
const Said = z
  .string()
  .max(100_000)
  .refine((text) => text.isWellFormed() && !text.includes("\u0000"), "the text is not valid Unicode or holds a NUL");

/** A piece of a request as the model was given it. */
export const ShownBlock = z.object({
  slot: z.enum(slots),
  kind: z.enum(itemKinds),
  id: z.string(),
  role: z.enum(["system", "user", "assistant", "tool"]),
  text: z.string(),
});
export type ShownBlock = z.infer<typeof ShownBlock>;

const Shown = {
  system: z.string(),
  /** As they were sent. */
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
  ),
  blocks: z.array(ShownBlock),
};

/** What a call came to in the end. */
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
  /** Tokens that the call before began with, too. */
  shared: z.number(),
  broke: z.string().nullable(),
  opened: z.string().nullable(),
  call: CallOutcome.nullable(),
});
export type ReceiptLine = z.infer<typeof ReceiptLine>;

const receipt = z.object({ threadId: Id, receiptId: Id });

export const contextApi = {
  getContext: {
    summary: "What stands behind the prompts of a thread: compactions, summaries, pins",
    params: thread,
    query: none,
    body: null,
    status: 200,
    response: ContextView,
  },
  listReceipts: {
    summary: "The receipts of a thread, one for each model call, the newest first",
    params: thread,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** A receipt's id: those before it. */
      before: Id.optional(),
    }),
    body: null,
    status: 200,
    /** `nextBefore`: what to ask for next; null: there are none before these. */
    response: z.object({ receipts: z.array(ReceiptLine), nextBefore: z.string().nullable() }),
  },
  getReceipt: {
    summary: "What one model call was given, what stayed out, and why",
    params: receipt,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      id: z.string(),
      createdAt: z.number(),
      receipt: Receipt,
      call: CallOutcome.nullable(),
      /** The call before it in this thread. */
      previousId: z.string().nullable(),
      /** When it broke the cache: why, and what that cost. */
      cacheNote: z.string().nullable(),
    }),
  },
  getRequest: {
    summary: "The request of a receipt, built again from what is stored, and whether its bytes are the same",
    params: receipt,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      ...Shown,
      verified: z.boolean(),
      /** What it is made of and is no longer there. */
      missing: z.array(z.string()),
    }),
  },
  previewContext: {
    summary: "What the model would be given if this were sent now. Nothing is stored",
    params: thread,
    query: none,
    body: z.object({ text: Said, model: z.string().min(1).max(200).optional(), attachments: AttachmentIds }).strict(),
    status: 200,
    response: z.object({ receipt: Receipt, ...Shown }),
  },
  undoEpoch: {
    summary: "Take a compaction back: the next prompt shows what it had replaced, as far as the window allows",
    params: z.object({ threadId: Id, epochId: Id }),
    query: none,
    body: z.object({ id: Id }).strict(),
    status: 200,
    response: CompactionView,
  },
  addPin: {
    summary: "Pin what must not be forgotten in this thread",
    params: thread,
    query: none,
    body: z.object({ id: Id, text: Said.min(1).max(2_000), messageId: Id.optional() }).strict(),
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
