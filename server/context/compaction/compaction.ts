import type { Sources } from "../../../protocol/context/untrusted.ts";
import type { LedgerEntry } from "../ledger/ledger.ts";
import type { Skip } from "./tail.ts";
import type { ReceiptItem } from "../../../protocol/context/receipt.ts";

export const COMPACTION_VERSION = 1;

/** Why a conversation is compacted. */
export type CompactionReason = "full" | "cold" | "model" | "too-long" | "edited" | "deleted";

/** A stored compaction: its summary, and the state that the next one continues from, so that older messages are not read again. */
export type Compaction = {
  readonly id: string;
  /** Messages up to this depth are covered by the summary. */
  readonly depth: number;
  readonly summaryHead: string;
  readonly model: string;
  readonly state: CompactionState;
};

/** Stored as JSON in the table `epochs`. */
export type CompactionState = {
  readonly v: typeof COMPACTION_VERSION;
  readonly ledger: readonly LedgerEntry[];
  /** Quoted sentences for ranges that no summary covers. */
  readonly lines: readonly Line[];
  /** The summaries in it, with the version that was used. */
  readonly chunks: readonly { readonly id: string; readonly changedAt: number }[];
  /** Untrusted sources of everything that it was made from. */
  readonly untrusted?: Sources;
  /** Stored before 0.2 instead of `untrusted`. */
  readonly tainted?: boolean;
  /** The memory and the pins in it. */
  readonly memory: Readonly<Record<string, string>>;
  readonly pins: readonly string[];
  /** Project digests in it. Missing in compactions from before digests existed. */
  readonly digests?: readonly SentDigest[];
  /** Context updates up to this depth are left out, because they contain forgotten memory. */
  readonly muted: number;
  readonly skip: Skip | null;
  /** Average of new tokens per call in this thread. */
  readonly growth: number;
  /** The items of the summary, as receipts list them. */
  readonly items: readonly ReceiptItem[];
  readonly tokens: number;
};

/** A digest that the model was sent, and its version. */
type SentDigest = { readonly name: string; readonly at: string };

export type Line = { readonly from: number; readonly to: number; readonly text: string };

/** A summary on this path, rendered. */
export type PromptSummary = {
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
