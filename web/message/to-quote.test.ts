import { expect, test } from "vitest";
import { toQuote } from "./to-quote.ts";

test("quotes each line, including empty ones, and adds an empty line", () => {
  expect(toQuote("  one\n\ntwo  \n")).toBe("> one\n>\n> two\n\n");
});

test("nests a quote inside a quote", () => {
  expect(toQuote("> said\nmine")).toBe("> > said\n> mine\n\n");
});
