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

test("orders calls from oldest to newest, with a gap between turns", () => {
  const { columns, width } = layoutTimeline([line(3, {}, "b"), line(2, {}, "a"), line(1, {}, "a")], 60);
  expect(columns.map(({ line: { id } }) => id)).toEqual(["r1", "r2", "r3"]);
  const [first, second, third] = columns.map(({ x }) => x);
  expect(third! - second!).toBeCloseTo(second! - first! + 5);
  expect(width).toBeLessThanOrEqual(61);
});

test("leaves space above the longest prompt and caps the shared part", () => {
  const { columns, top } = layoutTimeline([line(2, { shared: 5000 }), line(1)], 300);
  expect(top).toBeCloseTo(2240);
  expect(columns[1]).toMatchObject({ shared: columns[1]!.total });
  expect(columns.every(({ total }) => total < 1)).toBe(true);
});

test("widens the chart for many calls", () => {
  const many = Array.from({ length: 200 }, (_, index) => line(200 - index));
  expect(layoutTimeline(many, 300).width).toBeGreaterThan(1400);
});

test("distinguishes compactions from other cache misses", () => {
  const { columns } = layoutTimeline(
    [line(3, { broke: "tools" }), line(2, { opened: "full", broke: "epoch:full" }), line(1)],
    300,
  );
  expect(columns.map(({ isCompaction, hasCacheMiss }) => [isCompaction, hasCacheMiss])).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
});

test("puts grid lines at round numbers", () => {
  expect(toTicks(2240)).toEqual([1000, 2000]);
  expect(toTicks(9800)).toEqual([5000]);
  expect(toTicks(130_000)).toEqual([50_000, 100_000]);
});

test("finds the column at an x position", () => {
  const chart = layoutTimeline([line(3), line(2), line(1)], 300);
  expect(findColumn(chart, -5)).toBe(0);
  expect(findColumn(chart, chart.columns[1]!.x + 1)).toBe(1);
  expect(findColumn(chart, 10_000)).toBe(2);
});

test("describes each call and the whole timeline", () => {
  expect(describeLine(line(3, { broke: "tools" }), { n: 3, of: 7 })).toMatch(
    /^Call 3 of 7, .*: 3,000 tokens, 2,000 unchanged, \$0\.0042\. Cache miss\. The offered tools changed\.$/,
  );
  expect(describeLine(line(2, { opened: "full", broke: "epoch:full" }), { n: 2, of: 7 })).toContain(
    "Compacted. The conversation had grown past its limit.",
  );
  expect(describeTimeline([line(3, { broke: "tools" }), line(2, { opened: "full" }), line(1)], false)).toBe(
    "3 calls. The last prompt has 3,000 tokens, the longest 3,000. 1 compaction, 1 cache miss.",
  );
});
