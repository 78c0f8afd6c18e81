import { z } from "zod";
import { efforts } from "../model.ts";
import { policyNames } from "./policy.ts";

/** From stable to volatile: bytes of the first four never change within an epoch. */
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

/** A tool result that is not whole in the request. `part`: as `message/n`. */
export const ShortenedResult = z.object({
  part: z.string(),
  tool: z.string(),
  characters: z.number(),
  fromCharacters: z.number(),
});
export type ShortenedResult = z.infer<typeof ShortenedResult>;

/** Why a picture was not sent: the model cannot read pictures, or newer ones fill the request. */
const unsentPictures = ["no-vision", "too-large"] as const;

/** One thing that went in: where it stands, what it is, and why. */
export const ReceiptItem = z.object({
  slot: z.enum(slots),
  kind: z.enum(itemKinds),
  /** A message's, summary's or pin's id, a field of memory, a hash. */
  id: z.string(),
  depth: z.number().optional(),
  /** Of a message: which of its parts. */
  parts: z.array(z.number()).readonly().optional(),
  tokens: z.number(),
  /** A code; the page has the words. */
  why: z.string(),
  /** Secrets that stand as placeholders in it. */
  redacted: z.number().optional(),
  shortenedFrom: z.number().optional(),
  /** Tool results in it that were shortened, when they came in or to fit now. */
  shortened: z.array(ShortenedResult).readonly().optional(),
  /** Of what was shortened: the tokens that each of its texts was cut to. */
  room: z.number().optional(),
  /** Pictures in it that were not sent, by their part's number: the model reads a sentence in their place. */
  notSent: z
    .array(z.object({ part: z.number(), why: z.enum(unsentPictures) }))
    .readonly()
    .optional(),
  /** For a text that covers messages, such as a summary: the depths of those messages, as ranges. */
  covers: z
    .array(z.tuple([z.number(), z.number()]))
    .readonly()
    .optional(),
  /** What stands nowhere else: a note, or a block that a policy made. */
  text: z.string().optional(),
  /** In words: of a digest, what was left out of it, or why it could not be read; of a message, the files that came with it. */
  note: z.string().optional(),
  /** Of something recalled: how well it fits the question, against the best. */
  score: z.number().optional(),
});
export type ReceiptItem = z.infer<typeof ReceiptItem>;

/** A range of the path that did not go in as it stands: why, and where it can be found. */
export const LeftOut = z.object({
  fromDepth: z.number(),
  toDepth: z.number(),
  messages: z.number(),
  /** null: it was not even loaded. */
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
  /** Texts in the request that cover it: ids of summaries, `extract`, or a policy's block. Empty: nothing in it does. */
  coveredBy: z.array(z.string()).readonly(),
  /** Of `set-aside`, `text-only`, `over-budget`, `reasoning` and pictures: which parts, as `message/n`. */
  parts: z.array(z.string()).readonly().optional(),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** With the items and the stored pieces they name, the same bytes again. */
export const Recipe = z.object({
  /** Hashes of stored texts. */
  system: z.string(),
  tools: z.string(),
  toolChoice: z.union([z.enum(["auto", "none"]), z.object({ tool: z.string() })]),
  effort: z.enum(efforts),
});
export type Recipe = z.infer<typeof Recipe>;

/** A context window in tokens as a model server's own counts showed it, and when. */
const LearnedWindow = z.object({ tokens: z.number(), at: z.number() });

/** One per model call. What it cost in the end stands with the call. */
export const Receipt = z.object({
  v: z.literal(2),
  policy: z.enum(policyNames),
  /** Of the rendering: with another, the bytes may differ. */
  codec: z.number(),
  model: z.string(),
  tokenizer: z.string(),
  budget: z.object({
    window: z.number(),
    windowAssumed: z.boolean(),
    /** Set when the window is smaller than the model's because its server truncated an earlier prompt. */
    learned: LearnedWindow.optional(),
    /** Kept free for the answer. */
    reserve: z.number(),
    /** Tools and system. */
    fixed: z.number(),
    /** The body may grow to `high`; then it is cut to `low`. null: the policy has no such marks. */
    high: z.number().nullable(),
    low: z.number().nullable(),
    spread: z.number().nullable(),
    /** New tokens per call, as this thread goes. */
    growth: z.number().nullable(),
  }),
  promptTokens: z.number(),
  items: z.array(ReceiptItem).readonly(),
  leftOut: z.array(LeftOut).readonly(),
  epoch: z.object({
    /** null: before the first compaction. */
    id: z.string().nullable(),
    /** Set when this call opened it. */
    opened: z.string().nullable(),
  }),
  cache: z.object({
    /** Tokens of the part that the next call begins with, too. */
    stable: z.number(),
    /** Of it, what the call before began with. */
    shared: z.number(),
    /** Why the call before is no prefix of this one. */
    broke: z.string().nullable(),
    expectedRead: z.number(),
    expectedWrite: z.number(),
    expectedUsd: z.number().nullable(),
  }),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean() })).readonly(),
  /** The bytes of slots 0-3 and their SHA-256: the next call's must begin with them. */
  stable: z.object({ bytes: z.number(), hash: z.string() }),
  recipe: Recipe,
  /** SHA-256 of the whole request, canonical. */
  requestHash: z.string(),
  /**
   * Set when the provider reported far fewer input tokens than were sent: the model cannot have read all that is listed here.
   * `window`: the most tokens sent to this model from then on.
   */
  reported: z.object({ inputTokens: z.number(), sentTokens: z.number(), window: LearnedWindow }).optional(),
  /** Untrusted sources in its inputs. They decide which tool calls need approval. */
  untrusted: z.array(z.string()).readonly().optional(),
});
export type Receipt = z.infer<typeof Receipt>;
