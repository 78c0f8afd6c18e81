import { expect, test } from "vitest";
import { countRoughly, countSentTokens, estimate } from "./estimate.ts";

const model = { free: false, prices: { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 } };
const basis = { promptTokens: 10_000, answerTokens: 500, isCached: false };

test("counts tokens by script, and long texts by their beginning", () => {
  expect(countRoughly("")).toBe(0);
  expect(countRoughly("a")).toBe(1);
  expect(countRoughly("plain words ".repeat(100))).toBe(300);
  expect(countRoughly("潮の満ち干".repeat(100))).toBe(400);
  expect(countRoughly("прилив".repeat(100))).toBeGreaterThan(countRoughly("lagoon".repeat(100)));
  expect(countRoughly("x".repeat(100_000))).toBe(25_000);
});

const text = (tokens: number) => ({ kind: "text" as const, tokens, width: null, height: null });
const image = (width: number, height: number) => ({ kind: "image" as const, tokens: null, width, height });

test("counts files as far as they are sent: texts up to their share, images by size", () => {
  const unknown = { windowTokens: null };
  const large = { windowTokens: 200_000 };
  expect(countSentTokens("four", [], unknown)).toBe(1);
  expect(countSentTokens("", [text(100)], unknown)).toBe(140);
  expect(countSentTokens("four", [text(100), image(300, 250)], unknown)).toBe(1 + 140 + 140);
  expect(countSentTokens("", [image(4000, 4000)], unknown)).toBe(1640);
  expect(countSentTokens("", [text(12_700)], unknown)).toBe(12_740);
  expect(countSentTokens("", [text(500_000)], unknown)).toBe(15_040);
  expect(countSentTokens("", [text(500_000)], large)).toBe(99_040);
  expect(countSentTokens("", [text(500_000), text(1_000), text(500_000)], unknown)).toBe(15_120);
  expect(countSentTokens("", [{ ...text(100), pageCount: 2 }], { ...large, vision: true })).toBe(140 + 2 * 1600);
  expect(countSentTokens("", [{ ...text(100), pageCount: 300 }], { ...large, vision: true })).toBe(140 + 6 * 1600);
  expect(countSentTokens("", [{ ...text(100), pageCount: 300 }], large)).toBe(140);
});

test("adds the last prompt, its answer and the new text", () => {
  const { promptTokens, costUsd } = estimate(1, basis, model);
  expect(promptTokens).toBe(10_541);
  expect(costUsd).toBeCloseTo(0.021082, 6);
});

test("counts cached tokens at the cache price", () => {
  const { costUsd } = estimate(1, { ...basis, isCached: true }, model);
  expect(costUsd).toBeCloseTo((10_000 * 0.2 + 541 * 2) / 1_000_000, 9);
  const noRead = { ...model, prices: { ...model.prices, cacheRead: null } };
  expect(estimate(1, { ...basis, isCached: true }, noRead).costUsd).toBeCloseTo(0.021082, 6);
});

test("returns 0 for free models and null for unknown prices", () => {
  expect(estimate(1, basis, { ...model, free: true }).costUsd).toBe(0);
  expect(estimate(1, basis, { ...model, prices: { ...model.prices, input: null } }).costUsd).toBeNull();
  expect(estimate(1, basis, undefined).costUsd).toBeNull();
});
