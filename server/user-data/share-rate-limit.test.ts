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

test("allows an address 120 requests at once and 20 more per second", () => {
  const { countAllowed, pass } = open();
  expect(countAllowed("a", 500)).toBe(120);
  pass(1000);
  expect(countAllowed("a", 500)).toBe(20);
  pass(1_000_000);
  expect(countAllowed("a", 500)).toBe(120);
});

test("limits each address separately", () => {
  const { countAllowed } = open();
  expect(countAllowed("a", 500)).toBe(120);
  expect(countAllowed("b", 10)).toBe(10);
});

test("counts addresses of one IPv6 network together", () => {
  const { countAllowed } = open();
  expect(countAllowed("2001:db8:1:2::1", 500)).toBe(120);
  expect(countAllowed("2001:db8:1:2:3:4:5:6", 10)).toBe(0);
  expect(countAllowed("2001:db8:1:3::1", 10)).toBe(10);
});

test("limits all addresses together", () => {
  const { countAllowed } = open();
  let allowed = 0;
  for (let n = 0; n < 20_000; n += 1) allowed += countAllowed(`address ${n}`, 1);
  expect(allowed).toBe(2_000);
});
