import { expect, test } from "vitest";
import { median, p95, p99, quantile, slope } from "./statistics.ts";

test("the median of an even number of values lies between the two in the middle", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test("a quantile is one of the values, and the highest for a share that none below reaches", () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(p99(hundred)).toBe(99);
  expect(p99([1, 2, 3])).toBe(3);
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(quantile([], 0.5)).toBeNaN();
});

test("the 95th of a hundred is not exceeded by ninety-five", () => {
  expect(p95(Array.from({ length: 100 }, (_, n) => n + 1))).toBe(95);
});

test("a slope is what y grows by for each x, whatever lies beside the line evenly", () => {
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
