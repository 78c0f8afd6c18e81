import type { Receipt, ReceiptItem, Slot } from "../../protocol/context/receipt.ts";
import { slotOrder, sumTokens } from "./bar-layout.ts";

export type Difference = {
  readonly change: "added" | "removed" | "changed" | "moved";
  readonly item: ReceiptItem;
  /** The previous item of a change or move. */
  readonly before: ReceiptItem | null;
  /** Difference in tokens. */
  readonly tokens: number;
};
export type Comparison = {
  readonly differences: readonly Difference[];
  readonly same: number;
  readonly tokens: number;
  readonly bySlot: readonly { readonly slot: Slot; readonly before: number; readonly after: number }[];
};

/** Differences between two requests, in request order. */
export function compareReceipts(before: Receipt, after: Receipt): Comparison {
  const oldItems = gather(before.items);
  const newItems = gather(after.items);
  const differences: Difference[] = [];
  for (const [key, item] of newItems) {
    const old = oldItems.get(key);
    const tokens = item.tokens - (old?.tokens ?? 0);
    if (!old) differences.push({ change: "added", item, before: null, tokens });
    else if (tokens !== 0) differences.push({ change: "changed", item, before: old, tokens });
    else if (old.slot !== item.slot) differences.push({ change: "moved", item, before: old, tokens });
  }
  const removed = [...oldItems].filter(([key]) => !newItems.has(key)).map(([, item]) => item);
  for (const item of removed) differences.push({ change: "removed", item, before: null, tokens: -item.tokens });
  return {
    differences: differences.toSorted((a, b) => slotOrder.indexOf(a.item.slot) - slotOrder.indexOf(b.item.slot)),
    same: newItems.size - differences.filter(({ change }) => change !== "removed").length,
    tokens: after.promptTokens - before.promptTokens,
    bySlot: slotOrder.map((slot) => ({ slot, before: inSlot(before, slot), after: inSlot(after, slot) })),
  };
}

const inSlot = ({ items }: Receipt, slot: Slot): number => sumTokens(items.filter((item) => item.slot === slot));

/** A message with several steps has several items; they are compared as one. */
function gather(items: readonly ReceiptItem[]): ReadonlyMap<string, ReceiptItem> {
  const byKey = new Map<string, ReceiptItem>();
  for (const item of items) {
    const key = toKey(item);
    const known = byKey.get(key);
    byKey.set(key, known ? { ...known, tokens: known.tokens + item.tokens } : item);
  }
  return byKey;
}

/** Items that exist only once, so a new one replaces the previous one. */
const singles: ReadonlySet<ReceiptItem["kind"]> = new Set(["tools", "system", "ledger", "state", "project"]);
const toKey = ({ kind, id }: ReceiptItem): string => (singles.has(kind) ? kind : `${kind} ${id}`);
