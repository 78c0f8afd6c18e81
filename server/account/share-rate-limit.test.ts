import { expect, test } from "vitest";
import { createRateLimit } from "./share-rate-limit.ts";

const open = () => {
  let now = 0;
  const limit = createRateLimit({ now: () => now, monotonic: () => now });
  const countAllowed = (address: string, tries: number): number => {
    let allowed = 0;
    for (let n = 0; n < tries; n += 1) {
      try {
        limit.assertAllowed(address);
        allowed += 1;
      } catch (error) {
        expect(error).toMatchObject({ code: "busy", retryAfterSeconds: 1 });
      }
    }
    return allowed;
  };
  return { countAllowed, pass: (ms: number) => (now += ms) };
};

test("an address may ask 120 times at once and 20 times more each second", () => {
  const { countAllowed, pass } = open();
  expect(countAllowed("a", 500)).toBe(120);
  pass(1000);
  expect(countAllowed("a", 500)).toBe(20);
  pass(1_000_000);
  expect(countAllowed("a", 500)).toBe(120);
});

test("an address at its limit does not limit another", () => {
  const { countAllowed } = open();
  expect(countAllowed("a", 500)).toBe(120);
  expect(countAllowed("b", 10)).toBe(10);
});

test("addresses of one IPv6 network share a limit", () => {
  const { countAllowed } = open();
  expect(countAllowed("2001:db8:1:2::1", 500)).toBe(120);
  expect(countAllowed("2001:db8:1:2:3:4:5:6", 10)).toBe(0);
  expect(countAllowed("2001:db8:1:3::1", 10)).toBe(10);
});

test("all addresses together have a limit, too", () => {
  const { countAllowed } = open();
  let allowed = 0;
  for (let n = 0; n < 20_000; n += 1) allowed += countAllowed(`address ${n}`, 1);
  expect(allowed).toBe(2_000);
});
