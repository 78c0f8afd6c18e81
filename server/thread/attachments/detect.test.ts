import { describe, expect, test } from "vitest";
import { toGif, toJpeg, toPng, toWebp } from "../../../test/support/attachments/files.ts";
import { detect } from "./detect.ts";
import { toName } from "./to-name.ts";

describe("detect", () => {
  test.each([
    ["image/png", toPng(7, 5)],
    ["image/jpeg", toJpeg(7, 5)],
    ["image/gif", toGif(7, 5)],
    ["image/webp", toWebp(7, 5)],
  ])("detects %s by its bytes and reads the size from its header", (mediaType, bytes) => {
    expect(detect(bytes, "whatever.txt")).toEqual({ kind: "image", mediaType, width: 7, height: 5 });
  });

  test.each([
    ["notes.md", "# Title", "text/markdown"],
    ["table.csv", "a,b", "text/csv"],
    ["some.JSON", "{}", "application/json"],
    ["main.rs", "fn main() {}", "text/plain"],
    ["logo.svg", "<svg onload='x()'/>", "text/plain"],
    ["MZ.txt", "MZ and BZh are only letters here", "text/plain"],
    ["page", "<!DOCTYPE html><p>a", "text/html"],
  ])("detects %s with content %j as %s", (name, text, mediaType) => {
    expect(detect(Buffer.from(text), name)).toMatchObject({ kind: "text", mediaType });
  });

  test.each([
    ["UTF-8", Buffer.from("naïve 日本")],
    ["UTF-16 with a byte order mark", Buffer.from("\ufeffnaïve 日本", "utf16le")],
  ])("decodes text in %s", (_, bytes) => {
    expect(detect(bytes, "a.txt")).toMatchObject({ text: "naïve 日本" });
  });

  test("decodes text in Windows-1252", () => {
    expect(detect(Buffer.from("na\xefve", "latin1"), "a.txt")).toMatchObject({ text: "naïve" });
  });

  test("rejects an image that is too large", () => {
    expect(() => detect(toPng(1, 1, { width: 8_001, height: 1 }), "a.png")).toThrow(/8,001 × 1 pixels/);
    expect(() => detect(Buffer.concat([toPng(1, 1), Buffer.alloc(5_000_000)]), "a.png")).toThrow(/larger than 5 MB/);
    expect(detect(toPng(1, 1, { width: 8_000, height: 8_000 }), "a.png")).toMatchObject({ width: 8_000 });
  });
});

test("keeps the extension of a long name", () => {
  const name = toName(`${"long ".repeat(60)}.pdf`);
  expect(name).toHaveLength(120);
  expect(name).toMatch(/….pdf$/);
});
