import { expect, test } from "vitest";
import { compareLines } from "./compare-lines.ts";

const unique = (lines: readonly { text: string; isUnique: boolean }[]) =>
  lines.filter((line) => line.isUnique).map(({ text }) => text);

test("marks the lines that only one text has", () => {
  const { before, after } = compareLines("a\nb\nc\nd", "a\nx\nc\nd\ne");
  expect(unique(before)).toEqual(["b"]);
  expect(unique(after)).toEqual(["x", "e"]);
  expect(before.map(({ text }) => text).join("\n")).toBe("a\nb\nc\nd");
});

test("marks nothing in equal texts and counts repeated lines", () => {
  expect(unique(compareLines("a\na", "a\na").before)).toEqual([]);
  expect(unique(compareLines("a", "a\na").after)).toEqual(["a"]);
});

test("marks everything between the common start and end of very long texts", () => {
  const long = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
  const { before } = compareLines(["top", ...long].join("\n"), ["top", ...long.toReversed()].join("\n"));
  expect(before[0]?.isUnique).toBe(false);
  expect(unique(before)).toHaveLength(1000);
});
