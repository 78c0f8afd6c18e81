import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import type { RowOf } from "../store/schema.ts";
import { chooseCover } from "./cover.ts";
import { planMerge } from "./plan-merge.ts";

let last = 0;
const row = (from: number, to: number, more: Partial<RowOf<"summaries">> = {}): RowOf<"summaries"> => ({
  id: `s${(last += 1)}`,
  thread: "t",
  branch: "b",
  from_depth: from,
  to_depth: to,
  from_message: "",
  to_message: "",
  messages: to - from + 1,
  level: 0,
  status: "completed",
  cause: "auto",
  hash: "",
  fields: "{}",
  source_tokens: 0,
  tokens: 400,
  cost_usd: null,
  model: null,
  tainted: 0,
  untrusted: "[]",
  merged_into: null,
  error: null,
  created_at: 1,
  updated_at: 1,
  ...more,
});
const spans = (rows: readonly RowOf<"summaries">[]) => rows.map((one) => [one.from_depth, one.to_depth]);

test("unfinished and failed summaries cover nothing, and their depths are listed as gaps", () => {
  const rows = [
    row(1, 8),
    row(9, 16, { status: "generating", fields: null }),
    row(17, 24),
    row(25, 30, { status: "failed" }),
  ];
  const { cover, gaps } = chooseCover(rows, 40);
  expect(spans(cover)).toEqual([
    [1, 8],
    [17, 24],
  ]);
  expect(gaps).toEqual([
    { from: 9, to: 16 },
    { from: 25, to: 40 },
  ]);
});

test("a merged summary replaces its sources as soon as it is usable", () => {
  const parts = [row(1, 8), row(9, 16)];
  expect(
    spans(chooseCover([...parts, row(1, 16, { level: 1, status: "generating", fields: null })], 16).cover),
  ).toEqual([
    [1, 8],
    [9, 16],
  ]);
  expect(spans(chooseCover([...parts, row(1, 16, { level: 1 })], 16).cover)).toEqual([[1, 16]]);
});

test("every depth is covered or listed as a gap, for any rows", () => {
  const one = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 20 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), fc.integer({ min: 0, max: 70 }), (said, upTo) => {
      const rows = said.map(([from, length, made]) =>
        row(from, from + length, made ? {} : { fields: null, status: "generating" }),
      );
      const { cover, gaps } = chooseCover(rows, upTo);
      for (let depth = 1; depth <= upTo; depth += 1) {
        const told = cover.some((chunk) => chunk.from_depth <= depth && depth <= chunk.to_depth);
        const named = gaps.some(({ from, to }) => from <= depth && depth <= to);
        expect(told !== named, `depth ${depth}`).toBe(true);
      }
    }),
  );
});

test("merges the oldest when the total is over budget, at least two, and never over a gap", () => {
  expect(planMerge([row(1, 8), row(9, 16), row(17, 24), row(25, 32), row(33, 40)])).toEqual([]);
  const six = [row(1, 8), row(9, 16), row(17, 24), row(25, 32), row(33, 40), row(41, 48)];
  expect(spans(planMerge(six))).toEqual([
    [1, 8],
    [9, 16],
    [17, 24],
    [25, 32],
  ]);
  expect(spans(planMerge([row(1, 8), row(10, 16), row(17, 24), row(25, 32), row(33, 40), row(41, 48)]))).toEqual([
    [10, 16],
    [17, 24],
    [25, 32],
  ]);
  expect(spans(planMerge([row(1, 400, { tokens: 1900 }), row(401, 410)]))).toEqual([
    [1, 400],
    [401, 410],
  ]);
});
