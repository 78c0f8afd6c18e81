import { expect, test } from "vitest";
import { toAmount } from "../labels/cost.ts";
import { describeRow, readLimit } from "./describe-costs.ts";

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

test("describes calls, tokens, cached share and unpriced calls of a row", () => {
  expect(describeRow(row)).toBe("12 calls · 34,000 in, 82% cached · 4,100 out");
  expect(describeRow({ ...row, calls: 1, cacheReadTokens: 0, unpriced: 1 })).toBe(
    "1 call · 34,000 in · 4,100 out · 1 without a price",
  );
  expect(describeRow({ ...row, inputTokens: 0 })).toContain("0 in ·");
});

test("formats a cost of 0 as $0, not as unknown", () => {
  expect(toAmount(0)).toBe("$0");
  expect(toAmount(0.004)).toBe("$0.0040");
});

test("parses positive amounts with a dot, a comma or a dollar sign", () => {
  expect(["5", "$ 2.50", "0,75", ".5"].map(readLimit)).toEqual([5, 2.5, 0.75, 0.5]);
  expect(["", "0", "-1", "five", "1e9", "2.5.1"].map(readLimit)).toEqual([null, null, null, null, null, null]);
});
