import { expect, test } from "vitest";
import fc from "../test/support/fast-check.ts";
import { diffLines, matchLines } from "./diff-lines.ts";

const render = (before: readonly string[], after: readonly string[]): readonly string[] =>
  diffLines(before, after).map(({ sign, text }) => `${sign}${text}`);

test("a replaced line is removed, then added", () => {
  expect(render(["a", "b", "c"], ["a", "x", "c", "d"])).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(render([], ["a"])).toEqual(["+a"]);
  expect(render(["a"], [])).toEqual(["-a"]);
});

test("every line has its position in both texts", () => {
  const positions = diffLines(["a", "b", "c"], ["a", "x", "c", "d"]).map(({ before, after }) => [before, after]);
  expect(positions).toEqual([
    [0, 0],
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 3],
  ]);
});

test("texts that differ too much are replaced between their common start and end", () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
  const signs = diffLines(["top", ...lines, "end"], ["top", ...lines.toReversed(), "end"]).map(({ sign }) => sign);
  expect([signs[0], signs.at(-1), signs.filter((sign) => sign === "-").length]).toEqual([" ", " ", 2000]);
});

test("matched lines are equal, in order, and the longest common subsequence", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const matched = matchLines(before, after);
      const pairs = matched.flatMap((b, a) => (b < 0 ? [] : [[a, b] as const]));
      for (const [a, b] of pairs) expect(before[a]).toBe(after[b]);
      expect(pairs.map(([, b]) => b)).toEqual(pairs.map(([, b]) => b).toSorted((x, y) => x - y));
      expect(new Set(pairs.map(([, b]) => b)).size).toBe(pairs.length);
      expect(pairs.length).toBe(longest(before, after));
    }),
    { numRuns: 2000, seed: 3 },
  );
});

/** By the book, for short lists. */
function longest(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => [0, ...b.map(() => 0)]);
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  return table[a.length]![b.length]!;
}
