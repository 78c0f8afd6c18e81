import { expect, test } from "vitest";
import { toRelativeTime } from "./time.ts";

const now = Date.UTC(2026, 10, 15, 12);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-5 * second, "just now"],
  [0, "just now"],
  [59 * second, "just now"],
  [minute, "1m ago"],
  [5 * minute + 59 * second, "5m ago"],
  [59 * minute, "59m ago"],
  [hour, "1h ago"],
  [2 * hour, "2h ago"],
  [day - 1, "23h ago"],
  [3 * day, "3d ago"],
  [29 * day, "29d ago"],
])("%i ms before now is %s", (ago, words) => {
  expect(toRelativeTime(now - ago, now)).toBe(words);
});

test("shows the date after a month", () => {
  expect(toRelativeTime(now - 40 * day, now)).toBe(
    new Date(now - 40 * day).toLocaleDateString(undefined, { dateStyle: "medium" }),
  );
});
