import { expect, test } from "vitest";
import { countTokens } from "./tokens.ts";

test("counts ordinary text like o200k", () => {
  expect(countTokens("Stones keep words.")).toBe(5);
  expect(countTokens("")).toBe(0);
});

test("counts special tokens in user text as text", () => {
  expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
});

/** Each of these takes minutes if the tokenizer gets it whole. */
test.each([
  ["one letter", "a".repeat(1_000_000)],
  ["spaces", " ".repeat(100_000)],
  ["line breaks", "\n".repeat(100_000)],
  ["words of 999", `${"x".repeat(999)} `.repeat(1000)],
  ["Chinese", "漢".repeat(100_000)],
])("counts without blocking the process: %s", (_, text) => {
  expect(countTokens(text)).toBeGreaterThan(100);
});

test("estimates a long text with many tokens from samples, close to the exact count", () => {
  let seed = 7;
  const draw = (): number => (seed = (seed * 48_271) % 0x7fffffff);
  const text = Array.from({ length: 20_000 }, () => String.fromCharCode(0x4e00 + (draw() % 20_000))).join("");
  let whole = 0;
  for (let at = 0; at < text.length; at += 1000) whole += countTokens(text.slice(at, at + 1000));
  expect(countTokens(text)).not.toBe(whole);
  expect(Math.abs(countTokens(text) / whole - 1)).toBeLessThan(0.03);
});

test("a long run does not change the count of the text around it", () => {
  const around = "What does this key do? ";
  const alone = countTokens("x".repeat(5000));
  expect(countTokens(around + "x".repeat(5000))).toBeLessThanOrEqual(countTokens(around) + alone + 2);
});
