import { expect, test } from "vitest";
import { toQuote } from "./to-quote.ts";

test("each line is quoted, empty ones too, and there is room below", () => {
  expect(toQuote("  one\n\ntwo  \n")).toBe("> one\n>\n> two\n\n");
});

test("a quote in a quote is one level deeper", () => {
  expect(toQuote("> said\nmine")).toBe("> > said\n> mine\n\n");
});
