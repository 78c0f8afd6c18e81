import { expect, test } from "vitest";
import { countTokens } from "./tokens.ts";

test("ordinary text is counted as o200k counts it", () => {
  expect(countTokens("Stones keep words.")).toBe(5);
  expect(countTokens("")).toBe(0);
});

test("special tokens in a person's words are text", () => {
  expect(countTokens("<|endoftext|>")).toBeGreaterThan(1);
});

/** Each of these takes the tokenizer minutes when it is given whole. */
test.each([
  ["one letter", "a".repeat(1_000_000)],
  ["spaces", " ".repeat(100_000)],
  ["line breaks", "\n".repeat(100_000)],
  ["words of 999", `${"x".repeat(999)} `.repeat(1000)],
  ["Chinese", "漢".repeat(100_000)],
])("no text holds up the process: %s", (_, text) => {
  expect(countTokens(text)).toBeGreaterThan(100);
});

test("a long run changes the count of the text around it by nothing", () => {
  const around = "What does this key do? ";
  const alone = countTokens("x".repeat(5000));
  expect(countTokens(around + "x".repeat(5000))).toBeLessThanOrEqual(countTokens(around) + alone + 2);
});
