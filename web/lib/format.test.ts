import { expect, test } from "vitest";
import { groupDigits } from "./format.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
  [-4321, "-4,321"],
])("%i is written %s", (count, text) => {
  expect(groupDigits(count)).toBe(text);
});
