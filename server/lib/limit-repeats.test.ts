import { expect, test } from "vitest";
import { limitRepeats } from "./limit-repeats.ts";

test("reports the same error once a minute, with the number of repeats, and another one at once", () => {
  let now = 0;
  const reported: [string, number][] = [];
  const report = limitRepeats((error, repeats) => reported.push([(error as Error).message, repeats]), {
    monotonic: () => now,
  });
  for (let second = 0; second < 61; second += 1) {
    report(new Error("disk"));
    if (second === 5) report(new Error("other"));
    now += 1_000;
  }
  expect(reported).toEqual([
    ["disk", 0],
    ["other", 0],
    ["disk", 59],
  ]);
});
