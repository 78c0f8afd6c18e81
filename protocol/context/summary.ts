import { z } from "zod";

/** What a summary says (S4-83). */
export const SummaryFields = z.object({
  /** Two or three sentences. */
  overview: z.string(),
  keyPoints: z.array(z.string()).readonly(),
  decisions: z.array(z.string()).readonly(),
  actionItems: z.array(z.object({ text: z.string(), context: z.string() })).readonly(),
  openQuestions: z.array(z.string()).readonly(),
  toolResults: z
    .array(z.object({ toolName: z.string(), summary: z.string(), importance: z.enum(["high", "medium", "low"]) }))
    .readonly(),
});
export type SummaryFields = z.infer<typeof SummaryFields>;

/** `partial`: without a model, made of sentences that stand in the source. */
export const summaryStates = ["generating", "completed", "failed", "partial"] as const;

export const SummaryView = z.object({
  id: z.string(),
  /** Depths of the path that it covers, both included. */
  fromDepth: z.number(),
  toDepth: z.number(),
  fromMessageId: z.string(),
  toMessageId: z.string(),
  messageCount: z.number(),
  /** 0: made of messages; above, of the summaries below it. */
  level: z.number(),
  status: z.enum(summaryStates),
  trigger: z.enum(["auto", "manual"]),
  /** null while it is being made, or when that failed. */
  fields: SummaryFields.nullable(),
  sourceTokens: z.number(),
  summaryTokens: z.number(),
  costUsd: z.number().nullable(),
  /** null: no model was needed. */
  model: z.string().nullable(),
  /** Made of what others wrote, in part. */
  tainted: z.boolean(),
  edited: z.boolean(),
  /** The one that took its place when summaries were merged. */
  mergedInto: z.string().nullable(),
  error: z.object({ message: z.string(), fallbackAttempts: z.number(), lastAttemptModel: z.string() }).nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type SummaryView = z.infer<typeof SummaryView>;
