import { expect, test } from "vitest";
import { toDifference } from "./unified.ts";

test("shows a change with its context lines", () => {
  const before = Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join("\n");
  expect(toDifference(before, before.replace("line 6", "line six\nand more"))).toEqual({
    added: 2,
    removed: 1,
    text: "@@ -3,7 +3,8 @@\n line 3\n line 4\n line 5\n-line 6\n+line six\n+and more\n line 7\n line 8\n line 9",
  });
});

test("a new file is all plus, an emptied one all minus, and line endings count", () => {
  expect(toDifference("", "a\nb\n")).toEqual({ added: 2, removed: 0, text: "@@ -0,0 +1,2 @@\n+a\n+b" });
  expect(toDifference("a\n", "")).toEqual({ added: 0, removed: 1, text: "@@ -1,1 +0,0 @@\n-a" });
  expect(toDifference("a\r\n", "a\n")).toMatchObject({ added: 1, removed: 1 });
});

test("a long diff is cut, with a note", () => {
  const many = Array.from({ length: 500 }, (_, n) => `${n}`).join("\n");
  expect(toDifference("", many).text).toMatch(/\(381 more lines of the diff\)$/);
});

test("texts of very many lines are counted, not compared, in linear time", () => {
  const lines = (count: number, word: string): string => `${word}\n`.repeat(count);
  const startedAt = performance.now();
  for (let n = 0; n < 20; n += 1) toDifference(lines(256_000, "a"), lines(256_000, "b"));
  // Compared line by line, one of them takes longer than all of these.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(toDifference(`${lines(5_000, "a")}old\n`, `${lines(5_000, "a")}new\nand more\n`)).toEqual({
    text: "(about 1 lines removed and 2 added: too long to compare)",
    added: 2,
    removed: 1,
  });
  expect(toDifference(lines(30_000, "a"), lines(30_000, "a"))).toEqual({ text: "", added: 0, removed: 0 });
});
