/**
 * A value from a tool result or from a message, with its origin. `id` identifies a thing; `scalar` is an attribute; `gist` is the
 * preview of the whole call. Stored in the state of compactions, so names and values must not change.
 */
export type LedgerEntry = {
  /** The tool; `person` for a user message, `assistant` for an answer. */
  readonly tool: string;
  /** The call's own id. */
  readonly call: string;
  /** The call's shortened arguments. Together with the tool they identify the question. */
  readonly args: string;
  /** The subject of the call. A later call about the same subject replaces this one. */
  readonly about: string;
  readonly kind: "id" | "scalar" | "gist";
  /** Depth of the message that contains it. */
  readonly depth: number;
  /** Path from the root of the result, such as `flights.0.price`. */
  readonly path: string;
  readonly value: string;
  /** How often it was used later, in arguments or in messages. */
  readonly uses: number;
  readonly lastUsed: number;
};

export type LedgerCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly ok: boolean;
  /** Set if the call failed. */
  readonly error?: string;
  /** The tool's preview of the result, in one line. */
  readonly preview?: string;
};

/** A message as the ledger reads it. */
export type LedgerTurn = {
  readonly depth: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly calls: readonly LedgerCall[];
};

export type LedgerLimits = {
  /** Total number of values. Those with the lowest weight are dropped. */
  readonly entries: number;
  /** Number of values per call. */
  readonly perCall: number;
};

export type Counter = (text: string) => number;
