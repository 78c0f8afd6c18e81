import type { Omission, ReceiptItem } from "../../../protocol/context/receipt.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { Digest } from "../../project/digest.ts";
import type { Counter } from "../fit.ts";
import type { Unit } from "../units.ts";

/**
 * How one of the five classic policies chooses the content of a prompt. Pure. Every policy guarantees: the newest user message
 * and the newest steps of the current answer are included; the total is within the budget; calls are never separated from their
 * results; generated text is data in a user message, never in the system prompt; every omission is listed.
 */
export type Policy = (input: PolicyInput) => PolicyBlocks;

export type PolicyInput = {
  /** The end of the active path, newest last. */
  readonly messages: readonly MessageView[];
  /** The same messages as units, which are kept or left out as a whole. */
  readonly units: readonly Unit[];
  readonly window: { readonly messages: number; readonly characters: number };
  /** Tokens for the whole conversation. */
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
  /** The work state as text. */
  readonly state: string | null;
  /** Digests of the project that the thread belongs to. */
  readonly digests: readonly Digest[];
  readonly now: string;
};

/** Units that exceed their share of the window are shortened later (`toShares`). */
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
  /** Texts that are part of this one. The receipt lists them as separate items. */
  readonly inside?: readonly Omit<BlockItem, "inside">[];
};

type PolicyBlocks = { readonly blocks: readonly PolicyBlock[]; readonly leftOut: readonly Omission[] };
