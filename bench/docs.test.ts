import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeDocs } from "./docs.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const told = {
  measures: [
    { id: "start.seconds", value: 3, unit: "s", low: 2, high: 4, n: 5 },
    { id: "a.figure", value: 1, unit: "x", low: 1, high: 1, n: 5 },
  ],
  args: ["--sqlite", "--json", "/somewhere/figures.json"],
  loadBefore: 0.25,
};

test("writes figures between their marks and keeps the rest of the document", () => {
  const file = join(folder, "benchmarks.md");
  writeFileSync(file, "before\n<!-- one -->\nold\n<!-- /one -->\n<!-- two -->\nkept\n<!-- /two -->\nafter\n");
  writeDocs(file, "one", told);
  const text = readFileSync(file, "utf8");
  expect(text.startsWith("before\n<!-- one -->\n")).toBe(true);
  expect(text.endsWith("<!-- /one -->\n<!-- two -->\nkept\n<!-- /two -->\nafter\n")).toBe(true);
  expect(text).not.toContain("old");
  expect(text).toContain(
    "| `a.figure` | 1 | x | 1 - 1 | 5 |  |  |\n| `start.seconds` | 3 | s | 2 - 4 | 5 | <= 2 | **no** |",
  );
  expect(text).not.toContain("/somewhere");
});

test("does not write a document without the marks", () => {
  const file = join(folder, "other.md");
  writeFileSync(file, "nothing");
  expect(() => writeDocs(file, "one", told)).toThrow("has no place");
  expect(readFileSync(file, "utf8")).toBe("nothing");
});
