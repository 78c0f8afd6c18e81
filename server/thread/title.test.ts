import { expect, test } from "vitest";
import { shorten, toPreview, toTitle } from "./title.ts";

test("a short first message is the title as it stands", () => {
  expect(toTitle("Hello there")).toBe("Hello there");
});

test("a long one is cut at a word within 40 characters, with one ellipsis", () => {
  const title = toTitle("Explain how a write-ahead log keeps every acknowledged commit");
  expect(title).toBe("Explain how a write-ahead log keeps…");
  expect([...title].length).toBeLessThanOrEqual(40);
});

test("one endless word is cut within it", () => {
  expect(toTitle("x".repeat(100))).toBe(`${"x".repeat(39)}…`);
});

test("line breaks and runs of space become one space", () => {
  expect(toTitle("  a\n\n\tb  ")).toBe("a b");
});

test("no character is ever cut in half", () => {
  const family = "👨‍👩‍👧‍👦";
  expect(shorten(family.repeat(50), 10)).toBe(`${family.repeat(9)}…`);
});

test("an answer of a million marks costs no more than its beginning", () => {
  expect(toPreview(`a${"_".repeat(1_000_000)}b`)).toBe("a");
});

test("a preview holds 60 characters and no Markdown marks", () => {
  expect(toPreview("**Yes**, `it` _does_.")).toBe("Yes, it does.");
  expect(toPreview("snake_case stays")).toBe("snake_case stays");
  expect([...toPreview("word ".repeat(40))].length).toBeLessThanOrEqual(60);
});

test("a star between spaces is a sign of the text, not of Markdown", () => {
  expect(toPreview("12 * 7 = 84, **said** *it*")).toBe("12 * 7 = 84, said it");
});

test.each(["***", "---", "> > >", "```\n```", "| - |"])(
  "an answer of Markdown signs alone has a preview: %j",
  (text) => {
    expect(toPreview(text)).toBe(text.replace("\n", " "));
  },
);
