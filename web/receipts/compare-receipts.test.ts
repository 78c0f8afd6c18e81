import { expect, test } from "vitest";
import { compareReceipts } from "./compare-receipts.ts";
import { toItem, toReceipt } from "./sample-receipt.ts";

const show = (before: Parameters<typeof compareReceipts>[0], after: typeof before) =>
  compareReceipts(before, after).differences.map(
    ({ change, item, tokens }) => `${change} ${item.kind} ${item.id} ${tokens}`,
  );

test("reports added, removed, changed and moved items in request order", () => {
  const before = toReceipt({
    items: [
      toItem({ slot: "tools", kind: "tools", id: "3", tokens: 700 }),
      toItem({ slot: "head", kind: "summary", id: "s1", tokens: 200 }),
      toItem({ id: "m1" }),
      toItem({ slot: "now", id: "m2" }),
    ],
  });
  const after = toReceipt({
    items: [
      toItem({ slot: "tools", kind: "tools", id: "4", tokens: 800 }),
      toItem({ id: "m1" }),
      toItem({ slot: "log", id: "m2" }),
      toItem({ slot: "now", id: "m3", tokens: 40 }),
    ],
  });
  expect(show(before, after)).toEqual([
    "changed tools 4 100",
    "removed summary s1 -200",
    "moved message m2 0",
    "added message m3 40",
  ]);
  const { same, tokens, bySlot } = compareReceipts(before, after);
  expect({ same, tokens }).toEqual({ same: 1, tokens: -60 });
  expect(bySlot.find(({ slot }) => slot === "log")).toEqual({ slot: "log", before: 100, after: 200 });
});

test("compares a message with several steps as one", () => {
  const before = toReceipt({ items: [toItem({ id: "m1", parts: [0], tokens: 50 })] });
  const after = toReceipt({
    items: [toItem({ id: "m1", parts: [0], tokens: 50 }), toItem({ id: "m1", parts: [1, 2], tokens: 70 })],
  });
  expect(show(before, after)).toEqual(["changed message m1 70"]);
  expect(show(after, after)).toEqual([]);
});
