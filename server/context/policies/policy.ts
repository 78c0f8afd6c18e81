import type { Omission, ReceiptItem } from "../../../protocol/context/receipt.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { Digest } from "../../project/digest.ts";
import type { Counter } from "../fit.ts";
import type { Unit } from "../prompt.ts";

/**
 * How one of the five classic designs chooses what stands in a prompt. Pure. Always: the person's newest words stand, with the
 * newest steps of the answer under way; all of it together is within the budget; calls and results are not parted; a text made
 * here is data in the person's role, never in the system's; and what did not go in as it stands is named.
 */
export type Policy = (input: PolicyInput) => PolicyBlocks;

export type PolicyInput = {
  /** The end of the active path; the newest is last. */
  readonly messages: readonly MessageView[];
  /** The same, as what is kept or left out whole. */
  readonly units: readonly Unit[];
  /** Tokens for all of the conversation. */
  readonly budget: number;
  readonly count: Counter;
  readonly memory: readonly { readonly field: string; readonly value: string }[];
  /** The newest is last. */
  readonly summaries: readonly {
    readonly id: string;
    readonly text: string;
    readonly fromDepth: number;
    readonly toDepth: number;
    readonly changedAt: number;
  }[];
  /** Summaries of the path before those in `summaries`. */
  readonly olderSummaries: number;
  /** What the assistant holds of the work in hand, as text. */
  readonly state: string | null;
  /** What is known of the work that the thread belongs to. */
  readonly digests: readonly Digest[];
  readonly now: string;
};

/** A unit that is larger than its share (see `toShares`) is cut to that by whoever sends it. */
export type PolicyBlock =
  | { readonly kind: "unit"; readonly unit: Unit }
  | { readonly kind: "text"; readonly text: string; readonly item: BlockItem };

export type BlockItem = {
  readonly kind: ReceiptItem["kind"];
  readonly id: string;
  readonly why: string;
  readonly note?: string;
  readonly covers?: ReceiptItem["covers"];
  readonly shortened?: ReceiptItem["shortened"];
  /** Named in the receipt beside it: texts that are part of this one. */
  readonly inside?: readonly Omit<BlockItem, "inside">[];
};

export type PolicyBlocks = { readonly blocks: readonly PolicyBlock[]; readonly leftOut: readonly Omission[] };
