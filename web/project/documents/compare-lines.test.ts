import { expect, test } from "vitest";
import { compareLines } from "./compare-lines.ts";

const own = (lines: readonly { text: string; isOwn: boolean }[]) =>
  lines.filter((line) => line.isOwn).map(({ text }) => text);

test("only lines that one text has are its own", () => {
  const { before, after } = compareLines("a\nb\nc\nd", "a\nx\nc\nd\ne");
  expect(own(before)).toEqual(["b"]);
  expect(own(after)).toEqual(["x", "e"]);
  expect(before.map(({ text }) => text).join("\n")).toBe("a\nb\nc\nd");
});

test("the same text has nothing of its own, and repeated lines are counted", () => {
  expect(own(compareLines("a\na", "a\na").before)).toEqual([]);
  expect(own(compareLines("a", "a\na").after)).toEqual(["a"]);
});

test("texts too long to compare are marked whole between what they share at the ends", () => {
  const long = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
  const { before } = compareLines(["top", ...long].join("\n"), ["top", ...long.toReversed()].join("\n"));
  expect(before[0]?.isOwn).toBe(false);
  expect(own(before)).toHaveLength(1000);
});
