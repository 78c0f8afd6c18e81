import type { Receipt } from "../../protocol/context/receipt.ts";

/** Depths of the path that are neither in the request nor in a range that tells why they are not. */
export function listUnaccounted(receipt: Receipt, depths: readonly number[]): readonly number[] {
  const inside = new Set(receipt.items.flatMap(({ kind, depth }) => (kind === "message" && depth ? [depth] : [])));
  const out = receipt.leftOut.filter(({ messages }) => messages > 0);
  return depths.filter(
    (depth) => !inside.has(depth) && !out.some((range) => range.fromDepth <= depth && depth <= range.toDepth),
  );
}
