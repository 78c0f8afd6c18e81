import { z } from "zod";

/** The content of a summary. */
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

/** `partial`: made without a model, from sentences of the source. */
const summaryStates = ["generating", "completed", "failed", "partial"] as const;

export const SummaryView = z.object({
  id: z.string(),
  /** Depths of the path that it covers, inclusive. */
  fromDepth: z.number(),
  toDepth: z.number(),
  fromMessageId: z.string(),
  toMessageId: z.string(),
  messageCount: z.number(),
  /** 0: summarizes messages; higher: summarizes summaries of the level below. */
  level: z.number(),
  status: z.enum(summaryStates),
  trigger: z.enum(["auto", "manual"]),
  /** null while it is generating or after a failure. */
  fields: SummaryFields.nullable(),
  sourceTokens: z.number(),
  summaryTokens: z.number(),
  costUsd: z.number().nullable(),
  /** null: made without a model. */
  model: z.string().nullable(),
  /** Derived in part from untrusted content. */
  tainted: z.boolean(),
  edited: z.boolean(),
  /** The summary that replaced it in a merge. */
  mergedInto: z.string().nullable(),
  error: z.object({ message: z.string(), fallbackAttempts: z.number(), lastAttemptModel: z.string() }).nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type SummaryView = z.infer<typeof SummaryView>;
