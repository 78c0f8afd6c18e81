import { z } from "zod";
import { policyNames } from "./policy.ts";
import { SummaryView } from "./summary.ts";

export const compactionReasons = ["full", "cold", "model", "too-long", "edited", "policy", "deleted"] as const;

/** A compaction: in later prompts, `head` replaces the messages up to `depth`. */
export const CompactionView = z.object({
  id: z.string(),
  depth: z.number(),
  /** The message whose answer triggered it. */
  messageId: z.string(),
  reason: z.enum(compactionReasons),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  /** The text sent to the model. */
  head: z.string(),
  undone: z.boolean(),
  createdAt: z.number(),
});
export type CompactionView = z.infer<typeof CompactionView>;

/** A text that is included in every prompt of this thread. */
export const PinView = z.object({
  id: z.string(),
  text: z.string(),
  messageId: z.string().nullable(),
  createdAt: z.number(),
});
export type PinView = z.infer<typeof PinView>;

/** The assistant's state of the current work, updated after each turn. */
export const AgentState = z.object({
  goal: z.string(),
  facts: z.array(z.string()).readonly(),
  pending: z.array(z.string()).readonly(),
  /** The newest tool results, by call. */
  results: z.array(z.object({ tool: z.string(), said: z.string(), depth: z.number() })).readonly(),
  /** The depth up to which it is current. */
  depth: z.number(),
  updatedAt: z.number(),
  expiresAt: z.number(),
});
export type AgentState = z.infer<typeof AgentState>;

/** Prompt inputs of a thread. */
export const ContextView = z.object({
  policy: z.enum(policyNames),
  /** Newest first. */
  epochs: z.array(CompactionView),
  summaries: z.array(SummaryView),
  pins: z.array(PinView),
  state: AgentState.nullable(),
});
export type ContextView = z.infer<typeof ContextView>;
