import { expect, test } from "vitest";
import { toProseSnippet, toSnippet, type Snippet } from "./snippet.ts";

const marked = ({ snippet, marks }: Snippet) => marks.map(([from, to]) => snippet.slice(from, to));

test("removes Markdown syntax and marks the hits at their new positions", () => {
  const text =
    "## Tides\n\nThe **tide** is `high` at *noon*:\n\n| day | tide |\n|---|---|\n| one | 3.1 m |\n> low tide_table at night";
  const found = toProseSnippet(text, ["tide"]);
  expect(found.snippet).toBe("Tides The tide is high at noon: day tide one 3.1 m low tide_table at night");
  expect(marked(found)).toEqual(["Tides", "tide", "tide", "tide"]);
});

test("shows the text of a file unchanged", () => {
  const found = toSnippet("# not *a* heading\nconst tide = `${high}`; // a | b", ["tide"]);
  expect(found.snippet).toBe("# not *a* heading const tide = `${high}`; // a | b");
  expect(marked(found)).toEqual(["tide"]);
});

test("cuts a long text around the hit, starting at a word boundary", () => {
  const found = toProseSnippet(`${"sand and stone ".repeat(200)}the **tide** came ${"in and out ".repeat(200)}`, [
    "tide",
  ]);
  expect(found.snippet).toMatch(/^…(sand|and|stone) .* the tide came .*…$/);
  expect(found.snippet.length).toBeLessThan(170);
  expect(marked(found)).toEqual(["tide"]);
});

test("shows the beginning of a text without a hit, and replaces lone surrogates", () => {
  expect(toProseSnippet("nothing of it here", ["tide"])).toEqual({ snippet: "nothing of it here", marks: [] });
  expect(toProseSnippet("\ud83d tide", ["tide"]).snippet).toBe("\ufffd tide");
});
