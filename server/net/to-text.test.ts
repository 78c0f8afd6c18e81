import { expect, test } from "vitest";
import { decodeDocument } from "./to-text.ts";

const html = (text: string, encoding: BufferEncoding = "latin1") => Buffer.from(text, encoding);

test.each([
  ["the header's charset", "text/html", "iso-8859-1", html("caf\xe9"), "café"],
  ["a byte order mark before the header", "text/plain", "iso-8859-1", html("\xef\xbb\xbfcaf\xc3\xa9"), "café"],
  ["a UTF-16 byte order mark", "text/plain", null, html("\xff\xfec\0\xe9\0"), "cé"],
  ["a big-endian UTF-16 byte order mark", "text/plain", null, html("\xfe\xff\0c\0\xe9"), "cé"],
  ["a meta tag", "text/html", null, html('<meta charset="windows-1252">\x80'), '<meta charset="windows-1252">€'],
  [
    "a meta tag with http-equiv",
    "text/html",
    null,
    html('<META http-equiv=Content-Type content="text/html; charset=shift_jis">\x83\x65'),
    '<META http-equiv=Content-Type content="text/html; charset=shift_jis">テ',
  ],
  [
    "an XML declaration",
    "application/xhtml+xml",
    null,
    html('<?xml version="1.0" encoding="koi8-r"?>\xc1'),
    '<?xml version="1.0" encoding="koi8-r"?>а',
  ],
  [
    "the header takes precedence over the tag",
    "text/html",
    "utf-8",
    html('<meta charset="koi8-r">é', "utf8"),
    '<meta charset="koi8-r">é',
  ],
  [
    "a tag that cannot be true",
    "text/html",
    null,
    html('<meta charset="utf-16">é', "utf8"),
    '<meta charset="utf-16">é',
  ],
  ["an unknown charset", "text/html", "klingon-1", html("é", "utf8"), "é"],
  ["nothing", "", null, html("é", "utf8"), "é"],
  [
    "no tag in a type without tags",
    "text/plain",
    null,
    html('<meta charset="koi8-r">é', "utf8"),
    '<meta charset="koi8-r">é',
  ],
])("%s decides", (_, type, charset, body, expected) => {
  expect(decodeDocument({ type, charset, body })).toBe(expected);
});

test("replaces invalid bytes", () => {
  expect(decodeDocument({ type: "text/plain", charset: "utf-8", body: Uint8Array.of(0x61, 0xff, 0x62) })).toBe(
    "a\uFFFDb",
  );
});
