import { z } from "zod";

/** Every model call is recorded in one ledger under one of these purposes. */
export const purposes = ["answer", "title", "summary", "memory", "state", "search"] as const;

export const costGroups = ["day", "model", "thread", "purpose"] as const;

export const CostRow = z.object({
  /** A day as YYYY-MM-DD (UTC), a model id, a thread id or a purpose. */
  key: z.string(),
  label: z.string(),
  calls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  /** Sum of the known costs; `unpriced` calls are not included. */
  costUsd: z.number(),
  unpriced: z.number(),
});
export type CostRow = z.infer<typeof CostRow>;

/** A limit in US dollars. A call that would exceed it is refused before it is made. */
export const Budget = z.object({
  scope: z.enum(["day", "month", "thread"]),
  limitUsd: z.number().positive(),
  spentUsd: z.number(),
  /** Set by the operator or an admin; the user can only set a lower limit. */
  fixed: z.boolean(),
  /** An admin set it. */
  byAdmin: z.boolean().optional(),
});
export type Budget = z.infer<typeof Budget>;
