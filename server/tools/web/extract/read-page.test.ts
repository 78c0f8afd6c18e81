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

  test("JSON is laid out, and shown as it came where it is broken", async () => {
    expect((await readPage(source('{"a":[1]}', "application/json"))).markdown).toBe(
      '```json\n{\n  "a": [\n    1\n  ]\n}\n```',
    );
    expect((await readPage(source('{"a":', "application/json"))).markdown).toBe('```json\n{"a":\n```');
  });

  test("a PDF is known by its first bytes, whatever it is called", async () => {
    await expect(readPage(source("%PDF-1.7 but nothing more", "text/html"))).rejects.toThrow();
  });
});
