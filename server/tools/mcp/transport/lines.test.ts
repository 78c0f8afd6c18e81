import { expect, test } from "vitest";
import { createLines } from "./lines.ts";

test("returns the same lines for any chunking", () => {
  const bytes = Buffer.from("one\nzwölf\n\nthree");
  for (let size = 1; size <= bytes.length; size += 1) {
    const seen: string[] = [];
    const lines = createLines(100, (line) => seen.push(line));
    for (let at = 0; at < bytes.length; at += size) expect(lines.push(bytes.subarray(at, at + size))).toBe(true);
    expect(seen).toEqual(["one", "zwölf", ""]);
    lines.push(Buffer.from("!\n"));
    expect(seen.at(-1)).toBe("three!");
  }
});

test("rejects a line over the limit and returns the lines before it", () => {
  const seen: string[] = [];
  const lines = createLines(5, (line) => seen.push(line));
  expect(lines.push(Buffer.from("12345\n123"))).toBe(true);
  expect(lines.push(Buffer.from("456"))).toBe(false);
  expect(createLines(5, (line) => seen.push(line)).push(Buffer.from("123456\n"))).toBe(false);
  expect(seen).toEqual(["12345"]);
});
