import { z } from "zod";
import { policyNames } from "./policy.ts";
import { SummaryView } from "./summary.ts";

export const compactionReasons = ["full", "cold", "model", "too-long", "edited", "policy", "deleted"] as const;

/** A compaction: what stood up to `depth` is told by the head from here on. */
export const CompactionView = z.object({
  id: z.string(),
  depth: z.number(),
  /** The message whose answer opened it. */
  messageId: z.string(),
  reason: z.enum(compactionReasons),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  /** As the model reads it. */
  head: z.string(),
  undone: z.boolean(),
  createdAt: z.number(),
});
export type CompactionView = z.infer<typeof CompactionView>;

/** What must not be forgotten in this thread: it stands in every prompt. */
export const PinView = z.object({
  id: z.string(),
  text: z.string(),
  messageId: z.string().nullable(),
  createdAt: z.number(),
});
export type PinView = z.infer<typeof PinView>;

/** What the assistant holds of the work in hand, reconciled after each turn (S2-15). */
export const AgentState = z.object({
  goal: z.string(),
  facts: z.array(z.string()).readonly(),
  pending: z.array(z.string()).readonly(),
  /** Of the newest tool results, by call. */
  results: z.array(z.object({ tool: z.string(), said: z.string(), depth: z.number() })).readonly(),
  /** Up to which depth it is true. */
  depth: z.number(),
  updatedAt: z.number(),
  expiresAt: z.number(),
});
export type AgentState = z.infer<typeof AgentState>;

/** What stands behind the prompts of a thread. */
export const ContextView = z.object({
  policy: z.enum(policyNames),
  /** Newest first. */
  epochs: z.array(CompactionView),
  summaries: z.array(SummaryView),
  pins: z.array(PinView),
  state: AgentState.nullable(),
});
export type ContextView = z.infer<typeof ContextView>;
