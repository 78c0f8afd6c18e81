import { expect, test } from "vitest";
import { beginAtHit, countHits, findWords, splitMarks, type Range } from "./marks.ts";

const splitByWords = (text: string, query: string) => splitMarks(text, findWords(text, query));

test("marks every occurrence of every word, ignoring case, and keeps the whole text", () => {
  const text = "The sea wall. A wall by the Sea.";
  const pieces = splitByWords(text, "sea wall");
  expect(pieces.filter(({ isMarked }) => isMarked).map((piece) => piece.text)).toEqual(["sea", "wall", "wall", "Sea"]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(countHits(text, "sea wall")).toBe(4);
});

test("treats regular expression syntax as plain text", () => {
  expect(countHits("a+b (c)", "a+b (c)")).toBe(2);
  expect(splitByWords("$&", "$&")).toEqual([{ text: "$&", isMarked: true }]);
  expect(splitByWords("plain", "  ")).toEqual([{ text: "plain", isMarked: false }]);
});

test("marks at most 500 hits and keeps the whole text", () => {
  const text = "aa".repeat(20_000);
  const pieces = splitByWords(text, "a");
  expect(pieces.length).toBeLessThan(1100);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
});

test("starts an excerpt shortly before the first hit", () => {
  const text = `${"many words before it ".repeat(10)}harbour and more`;
  expect(beginAtHit(text, "harbour")).toMatch(/^…[\w ]{5,30}harbour and more$/);
  expect(beginAtHit("harbour", "harbour")).toBe("harbour");
  expect(beginAtHit(text, "nowhere")).toBe(text);
});

const show = (text: string, marks: readonly Range[]): string =>
  splitMarks(text, marks)
    .map((run) => (run.isMarked ? `[${run.text}]` : run.text))
    .join("");

test("splits a snippet at its marks", () => {
  expect(
    show("the tide and the moon", [
      [4, 8],
      [17, 21],
    ]),
  ).toBe("the [tide] and the [moon]");
});

test("accepts marks that are unordered, overlapping or out of bounds", () => {
  expect(
    show("abcdef", [
      [4, 99],
      [0, 3],
      [2, 4],
      [3, 3],
    ]),
  ).toBe("[abc][d][ef]");
});

test("neither loses nor repeats text", () => {
  const text = "some words";
  expect(
    splitMarks(text, [
      [2, 5],
      [4, 7],
    ])
      .map((run) => run.text)
      .join(""),
  ).toBe(text);
  expect(splitMarks("", [[0, 1]])).toEqual([]);
});
