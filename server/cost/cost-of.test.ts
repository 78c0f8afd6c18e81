import { expect, test } from "vitest";
import { expectCost } from "./cost-of.ts";
import { toDollars } from "./to-dollars.ts";

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

test("estimates a call from its prompt, cheaper for the cached part, and an average answer", () => {
  expect(expectCost({ promptTokens: 10_000, model: { prices, free: false } })).toBeCloseTo(0.03 + 0.015, 9);
  expect(
    expectCost({ promptTokens: 10_000, cachedTokens: 8000, answerTokens: 0, model: { prices, free: false } }),
  ).toBeCloseTo(0.006 + 0.0024, 9);
  const noCache = { ...prices, cacheRead: null };
  expect(
    expectCost({ promptTokens: 1000, cachedTokens: 900, answerTokens: 0, model: { prices: noCache, free: false } }),
  ).toBe(0.003);
});

test("returns 0 for a free model and null for an unknown price", () => {
  expect(expectCost({ promptTokens: 10, model: { prices, free: true } })).toBe(0);
  expect(expectCost({ promptTokens: 10, model: { prices: { ...prices, input: null }, free: false } })).toBeNull();
  expect(expectCost({ promptTokens: 10, model: { prices: { ...prices, output: null }, free: false } })).toBeNull();
});

test("formats dollars for reading", () => {
  expect([0, 12.345, 0.9, 0.11, 0.027, 0.0003, 0.00000012].map(toDollars)).toEqual([
    "$0",
    "$12.35",
    "$0.90",
    "$0.11",
    "$0.027",
    "$0.00030",
    "$0.00000012",
  ]);
});
