import { expect, test } from "vitest";
import { createLateCallback } from "./late-callback.ts";

test("calls before the target is connected do nothing, and later ones reach it", () => {
  const late = createLateCallback();
  const call = late.call;
  let calls = 0;
  call();
  late.connect(() => void (calls += 1));
  call();
  call();
  expect(calls).toBe(2);
});
