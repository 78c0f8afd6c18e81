import { expect, test } from "vitest";
import { createAccountThrottle } from "./throttle.ts";

function setUp() {
  const time = { now: 0 };
  return { time, throttle: createAccountThrottle({ monotonic: () => time.now }) };
}

test("five failures are free, then each network waits twice as long after its own failure, at most 30 seconds", () => {
  const { throttle } = setUp();
  const waits: number[] = [];
  for (let n = 0; n < 14; n += 1) {
    throttle.recordFailure("ada@example.com", "192.0.2.1");
    waits.push(throttle.waitOf("ada@example.com", "192.0.2.1") / 1000);
  }
  expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30]);
  expect(throttle.waitOf("ada@example.com", "192.0.2.2")).toBe(0);
  expect(throttle.waitOf("bob@example.com", "192.0.2.1")).toBe(0);
});

test("failures are forgotten, one per minute", () => {
  const { throttle, time } = setUp();
  for (let n = 0; n < 6; n += 1) throttle.recordFailure("ada@example.com", "192.0.2.1");
  expect(throttle.waitOf("ada@example.com", "192.0.2.1")).toBe(2_000);
  time.now += 2_000;
  expect(throttle.waitOf("ada@example.com", "192.0.2.1")).toBe(0);
  time.now += 10 * 60_000;
  throttle.recordFailure("ada@example.com", "192.0.2.1");
  expect(throttle.waitOf("ada@example.com", "192.0.2.1")).toBe(0);
});
