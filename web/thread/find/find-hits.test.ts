import { expect, test } from "vitest";
import { toPhrasePattern } from "../../lib/marks.ts";
import { findHits } from "./find-hits.ts";

test("finds each occurrence of the whole query in the order of the thread, ignoring case and kinds of white space", () => {
  const texts = [
    { id: "a", depth: 1, text: "Red bird, red\nbird." },
    { id: "b", depth: 2, text: "A bird that is red." },
    { id: "c", depth: 3, text: "The RED  BIRD" },
  ];
  expect(findHits(texts, " red bird ")).toEqual([
    { id: "a", depth: 1, nth: 0 },
    { id: "a", depth: 1, nth: 1 },
    { id: "c", depth: 3, nth: 0 },
  ]);
  expect(findHits(texts, "  ")).toEqual([]);
});

test("a query is text, not a pattern", () => {
  expect("f(x) = [a.b]".match(toPhrasePattern("(x) = [a.b]") ?? /$^/)?.[0]).toBe("(x) = [a.b]");
  expect(toPhrasePattern("a.c")?.test("abc")).toBe(false);
});
