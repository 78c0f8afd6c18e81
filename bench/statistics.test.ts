import { expect, test } from "vitest";
import { median, p95, p99, quantile, slope } from "./statistics.ts";

test("the median of an even number of values is the mean of the middle two", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test("a quantile is one of the values, the highest if there are few", () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(p99(hundred)).toBe(99);
  expect(p99([1, 2, 3])).toBe(3);
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(quantile([], 0.5)).toBeNaN();
});

test("the 95th percentile of a hundred values is the 95th value", () => {
  expect(p95(Array.from({ length: 100 }, (_, n) => n + 1))).toBe(95);
});

test("the slope ignores symmetric deviations from the line", () => {
  expect(
    slope([
      [1, 10],
      [2, 12],
      [4, 16],
    ]),
  ).toBeCloseTo(2);
  expect(
    slope([
      [0, 1],
      [0, 3],
      [1, 1],
      [1, 3],
    ]),
  ).toBeCloseTo(0);
});
