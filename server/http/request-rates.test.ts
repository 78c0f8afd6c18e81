import { expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import { createRequestRates } from "./request-rates.ts";

const open = (perMinute: number) => {
  const time = { now: 0 };
  const { assertAllowed } = createRequestRates({ clock: { monotonic: () => time.now }, perMinute });
  const countAllowed = (userId: string, address: string, tries: number, isRead = false): number => {
    let allowed = 0;
    for (let n = 0; n < tries; n += 1) {
      try {
        assertAllowed(userId, address, isRead);
        allowed += 1;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return allowed;
  };
  return { time, assertAllowed, countAllowed };
};

test("allows a minute's requests at once, then as many per second, and says how long to wait", () => {
  const { time, assertAllowed, countAllowed } = open(30);
  expect(countAllowed("bob", "192.0.2.1", 100)).toBe(30);
  expect(() => assertAllowed("bob", "192.0.2.1", false)).toThrow(
    new ApiError("busy", "Too many requests from your account. Try again in 2 seconds.", undefined, 2),
  );
  time.now += 1000;
  expect(() => assertAllowed("bob", "192.0.2.1", false)).toThrow("Try again in 1 second.");
  time.now += 1000;
  expect(countAllowed("bob", "192.0.2.1", 10)).toBe(1);
  time.now += 3_600_000;
  expect(countAllowed("bob", "192.0.2.1", 100)).toBe(30);
});

test("users do not slow each other down, up to the limit of their network; reads are counted apart", () => {
  const { countAllowed } = open(30);
  for (const user of ["a", "b", "c"]) expect(countAllowed(user, "192.0.2.1", 100)).toBe(30);
  expect(countAllowed("d", "192.0.2.1", 20)).toBe(20);
  expect(countAllowed("e", "192.0.2.1", 20)).toBe(10);
  expect(countAllowed("e", "192.0.2.2", 20)).toBe(20);
  expect(countAllowed("f", "2001:db8:1:2::1", 100)).toBe(30);
  expect(countAllowed("a", "192.0.2.1", 1000, true)).toBe(300);
});

test("requests that are refused are not counted", () => {
  const { time, countAllowed } = open(60);
  expect(countAllowed("bob", "192.0.2.1", 1000)).toBe(60);
  time.now += 1000;
  expect(countAllowed("bob", "192.0.2.1", 1000)).toBe(1);
});
