import type { IdRule } from "./clean.ts";

/**
 * A model's requirements for prompts, as data for `to-prompt.ts`. A rule of a single provider gets a field here, with the
 * reason, instead of a branch there.
 */
export type Codec = {
  /** The key of the provider package in metadata and options. */
  readonly namespace: string;
  /** `provider/model`; reasoning is sent back only to the model that wrote it. */
  readonly model: string;
  /**
   * How consecutive user texts are sent: `joined` into one text, where roles must alternate; as `blocks` of one message;
   * or `apart`, as separate messages.
   */
  readonly users: "joined" | "blocks" | "apart";
  /** Whether its package joins the texts of an answer without a separator. */
  readonly gluesTexts: boolean;
  readonly callIds: IdRule;
  /** Assistant text inserted between tool results and a user message, for models that require one. */
  readonly afterTools: string | null;
  /** Whether reasoning without provider metadata is sent back, or an empty one if there is none. */
  readonly plainReasoning: boolean;
  /** Whether its package sends reasoning with this metadata, or drops it. */
  readonly acceptsMetadata: (metadata: Readonly<Record<string, unknown>>) => boolean;
  /** null: it caches automatically, or not at all. */
  readonly cache: CacheRule | null;
};

export type CacheRule = {
  readonly maxMarks: number;
  /** A mark has no effect before this many tokens. */
  readonly minTokens: number;
  /** Skip user texts other than the opening block: a mark would change the shape of their message. */
  readonly openingOnly: boolean;
};
