import { expect, test } from "vitest";
import { beginAtHit, countHits, splitByWords } from "./find-words.ts";

test("every place of every word is marked, whatever its case, and the text stays whole", () => {
  const text = "The sea wall. A wall by the Sea.";
  const pieces = splitByWords(text, "sea wall");
  expect(pieces.filter(({ isHit }) => isHit).map((piece) => piece.text)).toEqual(["sea", "wall", "wall", "Sea"]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(countHits(text, "sea wall")).toBe(4);
});

test("signs with a meaning of their own are only signs", () => {
  expect(countHits("a+b (c)", "a+b (c)")).toBe(2);
  expect(splitByWords("$&", "$&")).toEqual([{ text: "$&", isHit: true }]);
  expect(splitByWords("plain", "  ")).toEqual([{ text: "plain", isHit: false }]);
});

test("a text of nothing but hits is marked only so far, and stays whole", () => {
  const text = "aa".repeat(20_000);
  const pieces = splitByWords(text, "a");
  expect(pieces.length).toBeLessThan(1100);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
});

test("an excerpt begins where the first hit can be seen", () => {
  const text = `${"many words before it ".repeat(10)}harbour and more`;
  expect(beginAtHit(text, "harbour")).toMatch(/^…[\w ]{5,30}harbour and more$/);
  expect(beginAtHit("harbour", "harbour")).toBe("harbour");
  expect(beginAtHit(text, "nowhere")).toBe(text);
});
