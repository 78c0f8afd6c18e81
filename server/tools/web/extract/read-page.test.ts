import { describe, expect, test } from "vitest";
import type { Source } from "./page.ts";
import { readPage } from "./read-page.ts";

const source = (text: string, type: string): Source => ({
  body: Buffer.from(text),
  text,
  type,
  url: "https://example.org/",
});

describe("readPage", () => {
  test.each([
    ["text/html; charset=utf-8", "<p>a", "html"],
    ["application/xhtml+xml", "<p>a", "html"],
    ["text/plain", "<!DOCTYPE html><p>a", "html"],
    ["text/plain", "a <p> b", "text"],
    ["text/markdown", "# a", "text"],
    ["text/csv", "a,b", "text"],
    ["application/json", "{}", "json"],
    ["application/ld+json", "{}", "json"],
    ["", "[1]", "json"],
    ["application/octet-stream", "{no", "text"],
    ["", "just words", "text"],
  ])("%s with %s is %s", async (type, text, kind) => {
    expect((await readPage(source(text, type))).kind).toBe(kind);
  });

  test("text is as it came, without what cannot be seen", async () => {
    const { markdown, title } = await readPage(source("a\r\n  b\u202e\u0000\n", "text/plain"));
    expect([markdown, title]).toEqual(["a\n  b", null]);
  });

  test("formats JSON and leaves broken JSON unchanged", async () => {
    expect((await readPage(source('{"a":[1]}', "application/json"))).markdown).toBe(
      '```json\n{\n  "a": [\n    1\n  ]\n}\n```',
    );
    expect((await readPage(source('{"a":', "application/json"))).markdown).toBe('```json\n{"a":\n```');
  });

  test("detects a PDF by its first bytes, regardless of the media type", async () => {
    await expect(readPage(source("%PDF-1.7 but nothing more", "text/html"))).rejects.toThrow();
  });
});
