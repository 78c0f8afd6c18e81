import type { Sources } from "../../../protocol/context/untrusted.ts";
import type { LedgerEntry } from "../ledger/ledger.ts";
import type { Skip } from "./tail.ts";
import type { ReceiptItem } from "../../../protocol/context/receipt.ts";

export const COMPACTION_VERSION = 1;

/** Why a body is rebuilt. */
export type CompactionReason = "full" | "cold" | "model" | "too-long" | "edited" | "deleted";

/** A compaction as it is stored: the head, and what the next one is made of, so that nothing older is read again. */
export type Compaction = {
  readonly id: string;
  /** Messages up to here are told by the head. */
  readonly depth: number;
  readonly summaryHead: string;
  readonly model: string;
  readonly state: CompactionState;
};

export type CompactionState = {
  readonly v: typeof COMPACTION_VERSION;
  readonly ledger: readonly LedgerEntry[];
  /** Of ranges that no summary covers: sentences that stand there. */
  readonly lines: readonly Line[];
  /** Summaries in the head, as they were. */
  readonly chunks: readonly { readonly id: string; readonly changedAt: number }[];
  /** Sources of everything that it was made of. */
  readonly untrusted?: Sources;
  /** Stored before 0.2, in place of `untrusted`. */
  readonly tainted?: boolean;
  /** What the head says of memory, and the pins it holds. */
  readonly memory: Readonly<Record<string, string>>;
  readonly pins: readonly string[];
  /** What the head tells of the work; heads of before there was any have none. */
  readonly digests?: readonly SentDigest[];
  /** What was told ahead of words up to here is left out: something in it has been forgotten since. */
  readonly muted: number;
  readonly skip: Skip | null;
  /** New tokens per call, as the thread has gone. */
  readonly growth: number;
  /** The head's parts, as receipts list them. */
  readonly items: readonly ReceiptItem[];
  readonly tokens: number;
};

/** By name, what was told of the work and what it was read at. */
export type SentDigest = { readonly name: string; readonly at: string };

export type Line = { readonly from: number; readonly to: number; readonly text: string };

/** A summary on this path, rendered. */
export type Chunk = {
  readonly id: string;
  readonly fromDepth: number;
  readonly toDepth: number;
  readonly text: string;
  readonly tokens: number;
  readonly changedAt: number;
  readonly untrusted?: Sources;
};

export type Pin = { readonly id: string; readonly text: string; readonly untrusted?: Sources };
export type MemoryEntry = { readonly field: string; readonly value: string; readonly untrusted?: Sources };
