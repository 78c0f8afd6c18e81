import { expect, test } from "vitest";
import { splitText } from "./project-uploads.ts";

test("splits a long text at paragraphs, then lines, and loses nothing", () => {
  expect(splitText("short", 10)).toEqual(["short"]);
  expect(splitText("aaaa\n\nbbbb\ncc", 9)).toEqual(["aaaa\n\n", "bbbb\ncc"]);
  expect(splitText("aaaaaa\nbbbbbb", 9)).toEqual(["aaaaaa\n", "bbbbbb"]);
  const text = "🐦".repeat(11);
  const pieces = splitText(text, 5);
  expect(pieces.join("")).toBe(text);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
});
