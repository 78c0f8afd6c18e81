import { expect, test } from "vitest";
import { describeRow, readLimit, toAmount } from "./describe-costs.ts";

const row = {
  key: "k",
  label: "k",
  calls: 12,
  inputTokens: 34_000,
  outputTokens: 4_100,
  cacheReadTokens: 27_880,
  costUsd: 0.2,
  unpriced: 0,
};

test("a row says what was asked, what came from the cache, and what has no price", () => {
  expect(describeRow(row)).toBe("12 calls · 34,000 in, 82 % of it from the cache · 4,100 out");
  expect(describeRow({ ...row, calls: 1, cacheReadTokens: 0, unpriced: 1 })).toBe(
    "1 call · 34,000 in · 4,100 out · 1 without a price",
  );
  expect(describeRow({ ...row, inputTokens: 0 })).toContain("0 in ·");
});

test("amounts that cost nothing are not called unknown", () => {
  expect(toAmount(0)).toBe("$0");
  expect(toAmount(0.004)).toBe("$0.0040");
});

test("a limit is a sum above nothing, as people write it", () => {
  expect(["5", "$ 2.50", "0,75", ".5"].map(readLimit)).toEqual([5, 2.5, 0.75, 0.5]);
  expect(["", "0", "-1", "five", "1e9", "2.5.1"].map(readLimit)).toEqual([null, null, null, null, null, null]);
});
