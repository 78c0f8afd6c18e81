import type { Receipt } from "../../protocol/context/receipt.ts";

/** Depths of the path that the receipt lists neither as sent nor in a range that was left out. */
export function listUnaccounted(receipt: Receipt, depths: readonly number[]): readonly number[] {
  const inside = new Set(receipt.items.flatMap(({ kind, depth }) => (kind === "message" && depth ? [depth] : [])));
  const out = receipt.leftOut.filter(({ messages }) => messages > 0);
  return depths.filter(
    (depth) => !inside.has(depth) && !out.some((range) => range.fromDepth <= depth && depth <= range.toDepth),
  );
}
