import fc from "fast-check";
import { expect, test } from "vitest";
import { countDiff, diffLines, type DiffLine } from "./diff-lines.ts";

const draw = (lines: readonly DiffLine[]) =>
  lines.map(({ kind, text }) => `${{ same: " ", gone: "-", come: "+" }[kind]}${text}`).join("\n");

test("a changed line goes and comes among those that stay, each with its numbers", () => {
  const lines = diffLines("a\nb\nc\n", "a\nB\nc\nd\n");
  expect(draw(lines)).toBe(" a\n-b\n+B\n c\n+d");
  expect(lines.map((line) => ("before" in line ? line.before : 0))).toEqual([1, 2, 0, 3, 0]);
  expect(lines.map((line) => ("after" in line ? line.after : 0))).toEqual([1, 0, 2, 3, 4]);
  expect(countDiff(lines)).toEqual({ come: 2, gone: 1 });
});

test("a new file comes whole, a deleted one goes whole, and line endings are no difference", () => {
  expect(draw(diffLines("", "x\ny"))).toBe("+x\n+y");
  expect(draw(diffLines("x\ny", ""))).toBe("-x\n-y");
  expect(countDiff(diffLines("x\r\ny\r\n", "x\ny\n"))).toEqual({ come: 0, gone: 0 });
});

test("both texts can be read from a diff of any two, and it is no longer than the shortest way", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "{", "}"), { maxLength: 30 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const lines = diffLines(a.map((one) => `${one}\n`).join(""), b.map((one) => `${one}\n`).join(""));
      expect(lines.filter(({ kind }) => kind !== "come").map((line) => line.text)).toEqual(a);
      expect(lines.filter(({ kind }) => kind !== "gone").map((line) => line.text)).toEqual(b);
      const { come, gone } = countDiff(lines);
      expect(come + gone).toBe(a.length + b.length - 2 * longestShared(a, b));
    }),
    { numRuns: 300 },
  );
});

test("texts with nothing in common are told without looking for a way between them", () => {
  const many = (word: string) => Array.from({ length: 5000 }, (_, n) => `${word} ${n}`).join("\n");
  expect(countDiff(diffLines(many("a"), many("b")))).toEqual({ come: 5000, gone: 5000 });
});

function longestShared(a: readonly string[], b: readonly string[]): number {
  let before = Array.from({ length: b.length + 1 }, () => 0);
  for (const one of a) {
    const row = [0];
    b.forEach((other, j) => row.push(one === other ? (before[j] ?? 0) + 1 : Math.max(row[j] ?? 0, before[j + 1] ?? 0)));
    before = row;
  }
  return before.at(-1) ?? 0;
}
