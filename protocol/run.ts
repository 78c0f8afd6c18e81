import { z } from "zod";

/** Tokens of one or more model calls. `estimated` is set if any of them did not report usage. */
export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  estimated: z.boolean(),
});
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  estimated: false,
};

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  estimated: a.estimated || b.estimated,
});

/** `limit`: ended at one of the run's limits, with a partial result. */
const runOutcomes = ["done", "stopped", "failed", "limit"] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** Numbers and names in a fixed text, in its order. The page uses them to show the text in its language, by code. */
export const TextValues = z.array(z.union([z.string(), z.number()])).readonly();

/** The sentences of a text, for pages in another language. Absent in older data, and in texts that are not fixed. */
const ListItem = z.object({ name: z.string(), values: TextValues });
const List = z.array(z.union([z.string(), ListItem])).readonly();
const SentenceValues = z.array(z.union([z.string(), z.number(), List])).readonly();
export const Sentences = z.array(z.object({ name: z.string(), values: SentenceValues })).readonly();

/** `retryAt`: when the provider can be called again, if it said so. Earlier calls would fail. */
export const Reason = z.object({
  code: z.string(),
  text: z.string(),
  retryAt: z.number().optional(),
  values: TextValues.optional(),
  sentences: Sentences.optional(),
});
export type Reason = z.infer<typeof Reason>;

/** How an answer ended that did not finish normally. */
export const EarlyEnd = z.object({ outcome: z.enum(["stopped", "failed", "limit"]), reason: Reason.nullable() });
export type EarlyEnd = z.infer<typeof EarlyEnd>;

/** A run as shown to the user. The server's stored state has more fields: `server/run/state.ts`. */
export const RunView = z.object({
  id: z.string(),
  threadId: z.string(),
  /** The assistant message that the run writes. */
  messageId: z.string(),
  /** `waiting`: a tool call needs approval. `parked`: a step crashed the server too often; `reason` says which. */
  state: z.enum(["running", "waiting", "parked", "ended"]),
  outcome: z.enum(runOutcomes).nullable(),
  reason: Reason.nullable(),
  step: z.number(),
  model: z.string(),
  /** Reason why a running answer waits, such as a model that is loading. */
  waitingFor: z.string().optional(),
  waitingSentences: Sentences.optional(),
  /** When a running answer calls its model again. */
  retryAt: z.number().optional(),
  usage: Usage,
  /** null: a price is unknown. */
  costUsd: z.number().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type RunView = z.infer<typeof RunView>;
