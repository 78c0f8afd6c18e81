import { expect, test } from "vitest";
import { toProseSnippet, toSnippet, type Snippet } from "./snippet.ts";

const marked = ({ snippet, marks }: Snippet) => marks.map(([from, to]) => snippet.slice(from, to));

test("what is said is shown as words, and its hits stand where they stand then", () => {
  const text =
    "## Tides\n\nThe **tide** is `high` at *noon*:\n\n| day | tide |\n|---|---|\n| one | 3.1 m |\n> low tide_table at night";
  const found = toProseSnippet(text, ["tide"]);
  expect(found.snippet).toBe("Tides The tide is high at noon: day tide one 3.1 m low tide_table at night");
  expect(marked(found)).toEqual(["Tides", "tide", "tide", "tide"]);
});

test("what is written in a file is shown letter for letter", () => {
  const found = toSnippet("# not *a* heading\nconst tide = `${high}`; // a | b", ["tide"]);
  expect(found.snippet).toBe("# not *a* heading const tide = `${high}`; // a | b");
  expect(marked(found)).toEqual(["tide"]);
});

test("of a long text a stretch is shown, beginning with a word before the hit", () => {
  const found = toProseSnippet(`${"sand and stone ".repeat(200)}the **tide** came ${"in and out ".repeat(200)}`, [
    "tide",
  ]);
  expect(found.snippet).toMatch(/^…(sand|and|stone) .* the tide came .*…$/);
  expect(found.snippet.length).toBeLessThan(170);
  expect(marked(found)).toEqual(["tide"]);
});

test("a text without a hit is shown from its beginning, and half a letter is none", () => {
  expect(toProseSnippet("nothing of it here", ["tide"])).toEqual({ snippet: "nothing of it here", marks: [] });
  expect(toProseSnippet("\ud83d tide", ["tide"]).snippet).toBe("\ufffd tide");
});
