/**
 * One value that a tool brought or somebody named, with the place it comes from. `id`: names a thing; `scalar`: says
 * something about one; `gist`: what the whole call came to, in words.
 */
export type LedgerEntry = {
  /** The tool, or `person` and `assistant` for what was said. */
  readonly tool: string;
  /** The call's own id. */
  readonly call: string;
  /** The call's arguments in short: with the tool they say which question this answers. */
  readonly args: string;
  /** What the call speaks of, so that a later one about the same takes its place; the same as the question where unknown. */
  readonly about: string;
  readonly kind: "id" | "scalar" | "gist";
  /** Depth of the message it stands in. */
  readonly depth: number;
  /** Names from the result's root, a list's places as numbers: `flights.0.price`. */
  readonly path: string;
  readonly value: string;
  /** How often it was used after it came: in arguments, or in somebody's words. */
  readonly uses: number;
  readonly lastUsed: number;
};

export type LedgerCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly ok: boolean;
  /** Of a call that failed. */
  readonly error?: string;
  /** What its tool says of it in a line. */
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
  /** Values kept in all; the least valuable go. */
  readonly entries: number;
  /** Values taken from one call. */
  readonly perCall: number;
};

export type Counter = (text: string) => number;
