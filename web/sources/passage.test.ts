import { expect, test } from "vitest";
import { toHost, toHue, toLetter } from "../lib/host.ts";
import { cutPassage } from "./passage.ts";

const text = "The sea comes.\nIt reaches   12 metres (at spring tide).\nIt goes.";

test("splits the text at a span", () => {
  expect(cutPassage(text, { span: [4, 7] })).toEqual({
    before: "The ",
    marked: "sea",
    after: text.slice(7),
  });
});

test("finds a quote regardless of white space and case", () => {
  expect(cutPassage(text, { quote: "it reaches 12 metres (at spring tide)." })?.marked).toBe(
    "It reaches   12 metres (at spring tide).",
  );
});

test.each([{ quote: "13 metres" }, { span: [5, 5000] as const }, { span: [9, 4] as const }, { quote: " " }, {}, null])(
  "finds nothing for %j",
  (passage) => {
    expect(cutPassage(text, passage)).toBeNull();
  },
);

test("a host has a stable hue and an initial", () => {
  expect(toHost("https://www.tides.example:8443/x")).toBe("tides.example:8443");
  expect(toHost("not a url")).toBe("");
  expect(toHue("tides.example")).toBe(toHue("tides.example"));
  expect(toHue("tides.example")).not.toBe(toHue("walks.example"));
  expect([toLetter("tides.example"), toLetter("éa.example"), toLetter("9to5.example"), toLetter("")]).toEqual([
    "T",
    "É",
    "T",
    "?",
  ]);
});
