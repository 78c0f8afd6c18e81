import { expect, test } from "vitest";
import { toTerms } from "./terms.ts";

test("case, accents and width make no difference", () => {
  expect(toTerms("Café ＣＡＦÉ cafe\u0301")).toEqual(["cafe", "cafe", "cafe"]);
});

test("scripts without spaces are found by any two characters", () => {
  expect(toTerms("漢字処理")).toEqual(["漢字", "字処", "処理", "理"]);
});

test("operators and quotes are dropped", () => {
  expect(toTerms('"a" AND (b) NOT c* ^d:e -f')).toEqual(["a", "and", "b", "not", "c", "d", "e", "f"]);
});

test("terms are limited to a length that both databases accept", () => {
  expect(toTerms("x".repeat(5000)).map((term) => term.length)).toEqual([64]);
});

test("text without letters has no terms", () => {
  expect(toTerms("?! … 🙂")).toEqual([]);
});
