import type { IdRule } from "./clean.ts";

/**
 * What one provider's model wants of a prompt, as data. `to-prompt.ts` reads it; a rule that only one provider has gets a
 * field here, with the reason, and not a branch there.
 */
export type Codec = {
  /** The key under which its package keeps what must come back unchanged, and takes what is said to it. */
  readonly namespace: string;
  /** `provider/model`; reasoning goes back only to the model that made it. */
  readonly model: string;
  /**
   * How words of the person that follow each other go: `joined` into one text, where roles have to alternate; as `blocks` of one
   * message; `apart`, as they are.
   */
  readonly users: "joined" | "blocks" | "apart";
  /** Its package writes texts of an answer one after the other, with nothing between. */
  readonly gluesTexts: boolean;
  readonly callIds: IdRule;
  /** Said by the assistant between tool results and the person's words, where these may not follow those. */
  readonly afterTools: string | null;
  /** Whether reasoning that carries none of the provider's marks goes back, and an empty one in its place. */
  readonly plainReasoning: boolean;
  /** Whether its package sends reasoning with these marks, or drops it. */
  readonly takesMarks: (marks: Readonly<Record<string, unknown>>) => boolean;
  /** null: it caches by itself, or not at all. */
  readonly cache: CacheRule | null;
};

export type CacheRule = {
  readonly most: number;
  /** What comes before a mark must have this size, or the mark is in vain. */
  readonly leastTokens: number;
  /** Marked user texts other than the opening one would change the shape of their message: they are passed over. */
  readonly openingOnly: boolean;
};
