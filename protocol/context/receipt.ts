import { z } from "zod";
import { efforts, type CallSettings } from "../model.ts";
import { policyNames } from "./policy.ts";

/** Ordered from stable to volatile: the bytes of the first four slots never change between compactions. */
export const slots = ["tools", "system", "head", "log", "now"] as const;
export type Slot = (typeof slots)[number];

export const itemKinds = [
  "tools",
  "system",
  "pin",
  "memory",
  "project",
  "digest",
  "state",
  "ledger",
  "summary",
  "extract",
  "message",
  "recall",
  "update",
  "clock",
  "note",
  "block",
] as const;

/** A tool result that was shortened in the request. `part`: `message/n`. */
export const ShortenedResult = z.object({
  part: z.string(),
  tool: z.string(),
  characters: z.number(),
  fromCharacters: z.number(),
});
export type ShortenedResult = z.infer<typeof ShortenedResult>;

/** Why an image was not sent: the model has no vision, or newer images fill the request. */
const unsentPictures = ["no-vision", "too-large"] as const;

/** One item of the prompt: its slot, kind and reason. */
export const ReceiptItem = z.object({
  slot: z.enum(slots),
  kind: z.enum(itemKinds),
  /** Id of a message, summary or pin, name of a memory field, or a hash. */
  id: z.string(),
  depth: z.number().optional(),
  /** Numbers of the parts of a message that are in the prompt. */
  parts: z.array(z.number()).readonly().optional(),
  tokens: z.number(),
  /** A code; the page has the text for it. */
  why: z.string(),
  /** Number of secrets replaced by placeholders. */
  redacted: z.number().optional(),
  shortenedFrom: z.number().optional(),
  /** Tool results that were shortened, on arrival or to fit this prompt. */
  shortened: z.array(ShortenedResult).readonly().optional(),
  /** If shortened: the token limit of each of its texts. */
  room: z.number().optional(),
  /** Images that were not sent, by part number; the model gets a sentence instead. */
  notSent: z
    .array(z.object({ part: z.number(), why: z.enum(unsentPictures) }))
    .readonly()
    .optional(),
  /** Depths of the messages that this text, such as a summary, covers, as ranges. */
  covers: z
    .array(z.tuple([z.number(), z.number()]))
    .readonly()
    .optional(),
  /** Text that is stored nowhere else: a note, or a block made by a policy. */
  text: z.string().optional(),
  /** A digest's omissions, or why it could not be read; a message's attached files. */
  note: z.string().optional(),
  /** A recalled passage's relevance to the question, relative to the best passage. */
  score: z.number().optional(),
});
export type ReceiptItem = z.infer<typeof ReceiptItem>;

/** A range of the path that was left out or shortened: why, and where to find it. */
export const Omission = z.object({
  fromDepth: z.number(),
  toDepth: z.number(),
  messages: z.number(),
  /** null: it was not loaded. */
  tokens: z.number().nullable(),
  why: z.enum([
    "before-the-cut",
    "beyond-the-window",
    "over-budget",
    "text-only",
    "set-aside",
    "reasoning",
    ...unsentPictures,
    "empty",
  ]),
  /** Texts in the request that cover it: ids of summaries, `extract`, or a policy's block. Empty: none. */
  coveredBy: z.array(z.string()).readonly(),
  /** Parts that were left out, as `message/n`; set for `set-aside`, `text-only`, `over-budget`, `reasoning` and images. */
  parts: z.array(z.string()).readonly().optional(),
});
export type Omission = z.infer<typeof Omission>;

/** Together with the items and the stored texts they name, this rebuilds the same bytes. */
const Recipe = z.object({
  /** Hashes of stored texts. */
  system: z.string(),
  tools: z.string(),
  toolChoice: z.union([z.enum(["auto", "none", "required"]), z.object({ tool: z.string() })]),
  effort: z.enum(efforts),
  /** Settings that the caller of an API chose. */
  settings: z.custom<CallSettings>().optional(),
});
type Recipe = z.infer<typeof Recipe>;

/** A context window in tokens, learned from usage reported by the model server, and when. */
const LearnedWindow = z.object({ tokens: z.number(), at: z.number() });

/** One per model call. The final cost is stored with the call. */
export const Receipt = z.object({
  v: z.literal(2),
  policy: z.enum(policyNames),
  /** Version of the renderer; a different version may produce different bytes. */
  codec: z.number(),
  model: z.string(),
  tokenizer: z.string(),
  budget: z.object({
    window: z.number(),
    windowAssumed: z.boolean(),
    /** Set if the window is smaller than the model's because its server truncated an earlier prompt. */
    learned: LearnedWindow.optional(),
    /** The model's token counts relative to Stonechat's, averaged over its last calls; `window` is in Stonechat's tokens. */
    tokenRatio: z.object({ ratio: z.number(), calls: z.number() }).optional(),
    /** Reserved for the answer. */
    reserve: z.number(),
    /** Tokens of tools and system prompt. */
    fixed: z.number(),
    /** When the body exceeds `high`, it is compacted to `low`. null: the policy has no such limits. */
    high: z.number().nullable(),
    low: z.number().nullable(),
    spread: z.number().nullable(),
    /** Average new tokens per call in this thread. */
    growth: z.number().nullable(),
  }),
  promptTokens: z.number(),
  items: z.array(ReceiptItem).readonly(),
  leftOut: z.array(Omission).readonly(),
  epoch: z.object({
    /** null: before the first compaction. */
    id: z.string().nullable(),
    /** Reason, if this call made the compaction. */
    opened: z.string().nullable(),
  }),
  cache: z.object({
    /** Tokens of the prefix that the next call will share. */
    stable: z.number(),
    /** The part of it shared with the previous call. */
    shared: z.number(),
    /** Why the previous call is not a prefix of this one. */
    broke: z.string().nullable(),
    expectedRead: z.number(),
    expectedWrite: z.number(),
    expectedUsd: z.number().nullable(),
  }),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean() })).readonly(),
  /** Bytes of slots 0-3 and their SHA-256: the next call must start with them. */
  stable: z.object({ bytes: z.number(), hash: z.string() }),
  recipe: Recipe,
  /** SHA-256 of the whole request in canonical form. */
  requestHash: z.string(),
  /** Temperature and top-p that were set for the model. */
  sampling: z.object({ temperature: z.number().optional(), topP: z.number().optional() }).optional(),
  /**
   * Set if the provider reported far fewer input tokens than were sent: the model cannot have read everything listed
   * here. `window`: token limit for this model from then on.
   */
  reported: z.object({ inputTokens: z.number(), sentTokens: z.number(), window: LearnedWindow }).optional(),
  /** Untrusted sources in the request. They decide which tool calls need approval. */
  untrusted: z.array(z.string()).readonly().optional(),
});
export type Receipt = z.infer<typeof Receipt>;
