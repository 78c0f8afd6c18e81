import { expect, test } from "vitest";
import { shorten, toPreview, toTitle } from "./title.ts";

test("uses a short first message as the title", () => {
  expect(toTitle("Hello there")).toBe("Hello there");
});

test("cuts a long title at a word within 80 characters and adds an ellipsis", () => {
  const title = toTitle(
    "Explain how a write-ahead log keeps every acknowledged commit safe when the power fails, please",
  );
  expect(title).toBe("Explain how a write-ahead log keeps every acknowledged commit safe when the…");
  expect([...title].length).toBeLessThanOrEqual(80);
});

test("cuts a single long word anywhere", () => {
  expect(toTitle("x".repeat(100))).toBe(`${"x".repeat(79)}…`);
});

test("collapses line breaks and spaces", () => {
  expect(toTitle("  a\n\n\tb  ")).toBe("a b");
});

test("never cuts inside a grapheme", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(shorten(family.repeat(50), 10)).toBe(`${family.repeat(9)}…`);
});

test("reads only the beginning of a very long answer", () => {
  expect(toPreview(`a${"_".repeat(1_000_000)}b`)).toBe("a");
});

test("limits a preview to 60 characters and removes Markdown syntax", () => {
  expect(toPreview("**Yes**, `it` _does_.")).toBe("Yes, it does.");
  expect(toPreview("snake_case stays")).toBe("snake_case stays");
  expect([...toPreview("word ".repeat(40))].length).toBeLessThanOrEqual(60);
});

test("shows links and pictures as their words", () => {
  expect(toPreview("![A red bird](https://example.com/red.png) sits on [the wall](https://example.com).")).toBe(
    "A red bird sits on the wall.",
  );
  expect(toPreview("Sources [1] and (a)")).toBe("Sources [1] and (a)");
});

test("removes marks of footnotes and tasks", () => {
  expect(toPreview("A claim[^1] holds.\n- [x] done\n- [ ] open")).toBe("A claim holds. done open");
});

test("removes HTML that the page draws, and no other tags", () => {
  expect(toPreview("H<sub>2</sub>O<br>is <kbd>wet</kbd>, <now> and a<b")).toBe("H2O is wet, <now> and a<b");
});

test("keeps an asterisk between spaces", () => {
  expect(toPreview("12 * 7 = 84, **said** *it*")).toBe("12 * 7 = 84, said it");
});

test.each(["***", "---", "> > >", "```\n```", "| - |"])(
  "shows an answer that is only Markdown syntax unchanged: %j",
  (text) => {
    expect(toPreview(text)).toBe(text.replace("\n", " "));
  },
);

test("keeps signs that are not Markdown, and cuts no sentence into “.…”", () => {
  expect(toPreview("C# has a > b | c, <now>Monday")).toBe("C# has a > b | c, <now>Monday");
  expect(toPreview("> quoted\n\n| x | y |\n# Head")).toBe("quoted x y Head");
  expect(shorten("It ends here. And then goes on", 15)).toBe("It ends here…");
});
