import { expect, test } from "vitest";
import type { ReceiptLine } from "../../../protocol/context/context-api.ts";
import { noUsage } from "../../../protocol/run.ts";
import { describeLine, describeTimeline } from "./describe-line.ts";
import { findColumn, layoutTimeline, toTicks } from "./timeline-layout.ts";

const line = (n: number, change: Partial<ReceiptLine> = {}, runId = `run-${n}`): ReceiptLine => ({
  id: `r${n}`,
  createdAt: 1_790_000_000_000 + n * 60_000,
  policy: "stone",
  model: "scripted/script",
  promptTokens: n * 1000,
  shared: Math.max(0, n - 1) * 1000,
  broke: null,
  opened: null,
  call: {
    id: `c${n}`,
    purpose: "answer",
    runId,
    step: 1,
    attempt: 1,
    model: "scripted/script",
    outcome: "ok",
    usage: noUsage,
    costUsd: 0.0042,
  },
  ...change,
});

test("the oldest stands first, and calls of one turn stand closer", () => {
  const { columns, width } = layoutTimeline([line(3, {}, "b"), line(2, {}, "a"), line(1, {}, "a")], 60);
  expect(columns.map(({ line: { id } }) => id)).toEqual(["r1", "r2", "r3"]);
  const [first, second, third] = columns.map(({ x }) => x);
  expect(third! - second!).toBeCloseTo(second! - first! + 5);
  expect(width).toBeLessThanOrEqual(61);
});

test("the longest prompt leaves some air, and the part that was there before is never more than the whole", () => {
  const { columns, top } = layoutTimeline([line(2, { shared: 5000 }), line(1)], 300);
  expect(top).toBeCloseTo(2240);
  expect(columns[1]).toMatchObject({ shared: columns[1]!.whole });
  expect(columns.every(({ whole }) => whole < 1)).toBe(true);
});

test("many calls get a wider chart instead of thinner columns", () => {
  const many = Array.from({ length: 200 }, (_, index) => line(200 - index));
  expect(layoutTimeline(many, 300).width).toBeGreaterThan(1400);
});

test("a cut is a cut, and any other break a break", () => {
  const { columns } = layoutTimeline(
    [line(3, { broke: "tools" }), line(2, { opened: "full", broke: "epoch:full" }), line(1)],
    300,
  );
  expect(columns.map(({ isCut, isBreak }) => [isCut, isBreak])).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
});

test("lines are drawn at round figures", () => {
  expect(toTicks(2240)).toEqual([1000, 2000]);
  expect(toTicks(9800)).toEqual([5000]);
  expect(toTicks(130_000)).toEqual([50_000, 100_000]);
});

test("a place of the chart belongs to the column that it is on", () => {
  const chart = layoutTimeline([line(3), line(2), line(1)], 300);
  expect(findColumn(chart, -5)).toBe(0);
  expect(findColumn(chart, chart.columns[1]!.x + 1)).toBe(1);
  expect(findColumn(chart, 10_000)).toBe(2);
});

test("each call is told in words, and so is the whole", () => {
  expect(describeLine(line(3, { broke: "tools" }), { n: 3, of: 7 })).toMatch(
    /^Call 3 of 7, .*: 3,000 tokens, 2,000 of them as before, \$0\.0042\. The cache was broken: the offered tools changed\.$/,
  );
  expect(describeLine(line(2, { opened: "full", broke: "epoch:full" }), { n: 2, of: 7 })).toContain(
    "A cut was made: the conversation had grown past its limit.",
  );
  expect(describeTimeline([line(3, { broke: "tools" }), line(2, { opened: "full" }), line(1)], false)).toBe(
    "3 calls. The prompt was 3,000 tokens long at last, 3,000 at most. 1 cut, 1 break of the cache.",
  );
});
