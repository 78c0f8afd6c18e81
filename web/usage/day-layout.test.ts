import { expect, test } from "vitest";
import type { CostRow } from "../../protocol/cost.ts";
import { layoutDays, toScale } from "./day-layout.ts";
import { layoutShares } from "./share-layout.ts";
import { toDefaultMeasure } from "./measures.ts";

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

test("includes days without usage", () => {
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

test("includes a partial last day and limits a range to 400 days", () => {
  const { days } = layoutDays([], { from: at("2026-09-19") + 5000, to: at("2026-09-20") + 1 }, "calls");
  expect(days.map(({ key }) => key)).toEqual(["2026-09-19", "2026-09-20"]);
  expect(layoutDays([], { from: 0, to: at("2026-09-20") }, "calls").days).toHaveLength(400);
});

test("ends the scale at a round value that no day exceeds", () => {
  expect(toScale(0)).toEqual({ top: 1, ticks: [] });
  for (const max of [0.0003, 0.21, 1, 7, 9.99, 83, 120_000]) {
    const { top, ticks } = toScale(max);
    expect(top).toBeGreaterThanOrEqual(max);
    expect(ticks.length).toBeGreaterThanOrEqual(1);
    expect(ticks.length).toBeLessThanOrEqual(4);
    expect(ticks.at(-1)).toBeCloseTo(top);
  }
});

test("sorts shares by size and merges the smallest into one", () => {
  const rows = Array.from({ length: 12 }, (_, index) => row(`m${index}`, { costUsd: 12 - index }));
  const shares = layoutShares(rows, "cost");
  expect(shares).toHaveLength(6);
  expect(shares[0]?.keys).toEqual(["m0"]);
  expect(shares.at(-1)?.keys).toHaveLength(7);
  expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  expect(layoutShares([row("a", { costUsd: 0 })], "cost")).toEqual([]);
});

test("shows tokens if no call has a cost", () => {
  expect(toDefaultMeasure([row("a")])).toBe("cost");
  expect(toDefaultMeasure([row("a", { costUsd: 0 })])).toBe("tokens");
});
