import { expect, test } from "vitest";
import { layoutBar, slotOrder, sumTokens } from "./bar-layout.ts";
import { toItem, toReceipt } from "./sample-receipt.ts";
import { slots } from "../../protocol/context/receipt.ts";

const items = [
  toItem({ slot: "tools", kind: "tools", tokens: 700 }),
  toItem({ slot: "system", kind: "system", tokens: 300 }),
  toItem({ slot: "log", tokens: 3_000 }),
  toItem({ slot: "now", id: "q", tokens: 500 }),
];

test("lists the same slots as the protocol, in the same order", () => {
  expect(slotOrder).toEqual(slots);
});

test("ends the bar shortly after the high mark if the window is wide", () => {
  const bar = layoutBar(toReceipt({ items }));
  expect(bar).toMatchObject({ isWindow: false, scale: 10_800, reserveShare: 0 });
  expect(bar.segments.map(({ slot, tokens }) => `${slot} ${tokens}`)).toEqual([
    "tools 700",
    "system 300",
    "log 3000",
    "now 500",
  ]);
  expect(bar.marks.map(({ name, tokens }) => `${name} ${tokens}`)).toEqual(["low 5000", "high 10000"]);
});

test("shows the whole window and the reserve if the prompt nearly fills it", () => {
  const bar = layoutBar(toReceipt({ items, budget: { window: 8_000, reserve: 1_000, high: null, low: null } }));
  expect(bar).toMatchObject({ isWindow: true, scale: 8_000, reserveShare: 0.125, marks: [] });
  expect(bar.segments.find(({ slot }) => slot === "log")?.share).toBe(0.375);
});

test("keeps all shares within the bar if the window is exceeded", () => {
  const bar = layoutBar(toReceipt({ items, budget: { window: 2_000, reserve: 1_000 } }));
  expect(bar.scale).toBe(4_500);
  expect(bar.segments.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  expect(bar.reserveShare).toBe(0);
  expect(bar.marks.every(({ share }) => share <= 1)).toBe(true);
});

test("does not count items inside another item twice", () => {
  const nested = [
    toItem({ slot: "now", kind: "clock", tokens: 80 }),
    toItem({ slot: "now", kind: "recall", tokens: 60 }),
  ];
  expect(sumTokens(nested)).toBe(80);
});
