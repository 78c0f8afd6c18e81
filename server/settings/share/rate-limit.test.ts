import { expect, test } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

const countAllowed = (limit: ReturnType<typeof createRateLimit>, tries: number): number => {
  let allowed = 0;
  for (let n = 0; n < tries; n += 1) {
    try {
      limit.assertAllowed();
      allowed += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: "busy" });
    }
  }
  return allowed;
};

test("so many pass at once, and so many more each second, never more than at first", () => {
  let now = 0;
  const limit = createRateLimit({ now: () => now, monotonic: () => now });
  expect(countAllowed(limit, 500)).toBe(120);
  now += 1000;
  expect(countAllowed(limit, 500)).toBe(20);
  now += 1_000_000;
  expect(countAllowed(limit, 500)).toBe(120);
});
