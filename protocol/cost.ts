import { z } from "zod";

/** Every model call is in one ledger, whatever it was for. */
export const purposes = ["answer", "title", "summary", "memory", "state", "search"] as const;

export const costGroups = ["day", "model", "thread", "purpose"] as const;

export const CostRow = z.object({
  /** A day as YYYY-MM-DD (UTC), a model, a thread's id, a purpose. */
  key: z.string(),
  label: z.string(),
  calls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  /** What is known; `unpriced` calls are not in it. */
  costUsd: z.number(),
  unpriced: z.number(),
});
export type CostRow = z.infer<typeof CostRow>;

/** A limit in US dollars: a call that would pass it is refused before it is made. */
export const Budget = z.object({
  scope: z.enum(["day", "month", "thread"]),
  limitUsd: z.number().positive(),
  spentUsd: z.number(),
  /** From the operator's settings; a person can only set a lower one. */
  fixed: z.boolean(),
});
export type Budget = z.infer<typeof Budget>;
