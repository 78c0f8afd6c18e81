import { expect, test } from "vitest";
import type { CostRow } from "../../protocol/cost.ts";
import { layoutDays, toScale } from "./day-layout.ts";
import { layoutShares } from "./share-layout.ts";
import { toUsualMeasure } from "./measures.ts";

const row = (key: string, change: Partial<CostRow> = {}): CostRow => ({
  key,
  label: key,
  calls: 2,
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 0,
  costUsd: 0.5,
  unpriced: 0,
  ...change,
});
const at = (day: string) => Date.parse(`${day}T00:00:00Z`);

test("days on which nothing was asked stand between the others", () => {
  const { days, top } = layoutDays(
    [row("2026-09-19"), row("2026-09-21", { costUsd: 1 })],
    {
      from: at("2026-09-19"),
      to: at("2026-09-22"),
    },
    "cost",
  );
  expect(days.map(({ key, value }) => [key, value])).toEqual([
    ["2026-09-19", 0.5],
    ["2026-09-20", 0],
    ["2026-09-21", 1],
  ]);
  expect(top).toBe(1);
  expect(days[0]?.share).toBe(0.5);
});

test("a range that ends within a day shows that day, and an endless one is cut", () => {
  const { days } = layoutDays([], { from: at("2026-09-19") + 5000, to: at("2026-09-20") + 1 }, "calls");
  expect(days.map(({ key }) => key)).toEqual(["2026-09-19", "2026-09-20"]);
  expect(layoutDays([], { from: 0, to: at("2026-09-20") }, "calls").days).toHaveLength(400);
});

test("the scale ends at a round figure that nothing passes", () => {
  expect(toScale(0)).toEqual({ top: 1, ticks: [] });
  for (const most of [0.0003, 0.21, 1, 7, 9.99, 83, 120_000]) {
    const { top, ticks } = toScale(most);
    expect(top).toBeGreaterThanOrEqual(most);
    expect(ticks.length).toBeGreaterThanOrEqual(1);
    expect(ticks.length).toBeLessThanOrEqual(4);
    expect(ticks.at(-1)).toBeCloseTo(top);
  }
});

test("shares fill the whole, the largest first, and small ones are one", () => {
  const rows = Array.from({ length: 12 }, (_, index) => row(`m${index}`, { costUsd: 12 - index }));
  const shares = layoutShares(rows, "cost");
  expect(shares).toHaveLength(6);
  expect(shares[0]?.keys).toEqual(["m0"]);
  expect(shares.at(-1)?.keys).toHaveLength(7);
  expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  expect(layoutShares([row("a", { costUsd: 0 })], "cost")).toEqual([]);
});

test("where nothing costs anything, tokens are shown", () => {
  expect(toUsualMeasure([row("a")])).toBe("cost");
  expect(toUsualMeasure([row("a", { costUsd: 0 })])).toBe("tokens");
});
