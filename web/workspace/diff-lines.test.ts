import fc from "fast-check";
import { expect, test } from "vitest";
import { countDiff, toNumberedDiff, type NumberedLine } from "./diff-lines.ts";

const draw = (lines: readonly NumberedLine[]) =>
  lines.map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`).join("\n");

test("numbers unchanged, removed and added lines", () => {
  const lines = toNumberedDiff("a\nb\nc\n", "a\nB\nc\nd\n");
  expect(draw(lines)).toBe(" a\n-b\n+B\n c\n+d");
  expect(lines.map((line) => ("before" in line ? line.before : 0))).toEqual([1, 2, 0, 3, 0]);
  expect(lines.map((line) => ("after" in line ? line.after : 0))).toEqual([1, 0, 2, 3, 4]);
  expect(countDiff(lines)).toEqual({ added: 2, removed: 1 });
});

test("diffs new and deleted files and ignores line endings", () => {
  expect(draw(toNumberedDiff("", "x\ny"))).toBe("+x\n+y");
  expect(draw(toNumberedDiff("x\ny", ""))).toBe("-x\n-y");
  expect(countDiff(toNumberedDiff("x\r\ny\r\n", "x\ny\n"))).toEqual({ added: 0, removed: 0 });
});

test("reconstructs both texts from a diff of minimal length", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "{", "}"), { maxLength: 30 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const lines = toNumberedDiff(a.map((one) => `${one}\n`).join(""), b.map((one) => `${one}\n`).join(""));
      expect(lines.filter(({ kind }) => kind !== "added").map((line) => line.text)).toEqual(a);
      expect(lines.filter(({ kind }) => kind !== "removed").map((line) => line.text)).toEqual(b);
      const { added, removed } = countDiff(lines);
      expect(added + removed).toBe(a.length + b.length - 2 * longestShared(a, b));
    }),
    { numRuns: 300 },
  );
});

test("replaces all lines of texts with too many differences", () => {
  const many = (word: string) => Array.from({ length: 5000 }, (_, n) => `${word} ${n}`).join("\n");
  expect(countDiff(toNumberedDiff(many("a"), many("b")))).toEqual({ added: 5000, removed: 5000 });
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
