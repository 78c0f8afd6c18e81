import { expect, test } from "vitest";
import { fillPrompt, listVariables } from "./prompts.ts";

test("lists each variable once, with its default", () => {
  expect(listVariables("{{topic}} for {{ reader =a child}}, {{topic=stones}}, {{}}, { {x}}, {{a\nb}}")).toEqual([
    { name: "topic", initial: "stones" },
    { name: "reader", initial: "a child" },
  ]);
});

test("fills in every occurrence and nothing that was inserted", () => {
  const text = "About {{topic}} and {{topic=stones}} for {{reader}}; {{other}}";
  expect(fillPrompt(text, { topic: "{{reader}} $&", reader: "Ann" })).toBe(
    "About {{reader}} $& and {{reader}} $& for Ann; {{other}}",
  );
});
