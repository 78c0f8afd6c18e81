import { expect, test } from "vitest";
import { toBackoffMs } from "./backoff.ts";

test("waits double from attempt to attempt, up to fifteen seconds", () => {
  expect([1, 2, 3, 4, 9, 40].map((attempt) => toBackoffMs(attempt, 1))).toEqual([400, 800, 1600, 3200, 15000, 15000]);
});

test("jitter takes away half at most", () => {
  expect([1, 40].map((attempt) => toBackoffMs(attempt, 0))).toEqual([200, 7500]);
});
