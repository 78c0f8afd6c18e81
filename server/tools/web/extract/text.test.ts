import { describe, expect, test } from "vitest";
import { cleanText, countWords } from "./text.ts";

describe("text", () => {
  test.each([
    ["zero-width", "pass\u200bword\u2060\ufeff"],
    ["bidirectional", "\u202epass\u202cword\u2066\u2069"],
    ["soft hyphens", "pass\u00adword"],
    ["tag characters", "password\u{e0041}\u{e007f}"],
    ["control", "pass\u0000\u0007word\u009b"],
  ])("%s characters are stripped", (_, text) => {
    expect(cleanText(text)).toBe("password");
  });

  test("collapses whitespace and keeps letters of all scripts", () => {
    expect(cleanText("  a\n\t b\u00a0c  naïve 日本語 עברית 👍 ")).toBe("a b c naïve 日本語 עברית 👍");
  });

  test("counts two characters as a word in scripts without spaces", () => {
    expect([countWords("one two-three 4"), countWords("日本語の文章です"), countWords("")]).toEqual([4, 4, 0]);
  });
});
