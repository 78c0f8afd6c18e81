import { expect, test } from "vitest";
import { findBlock, hasWords, toExcerpt, type Given } from "./blocks.ts";
import { toItem } from "./sample-receipt.ts";

const given: Given = {
  system: "Be kind.",
  tools: ["{one}", "{two}"],
  blocks: [
    { slot: "head", kind: "head", id: "epoch", role: "user", text: "Everything before" },
    { slot: "log", kind: "message", id: "m1", role: "user", text: "First" },
    { slot: "log", kind: "message", id: "m2", role: "assistant", text: "Second" },
    { slot: "log", kind: "message", id: "m2", role: "tool", text: "Result" },
  ],
};

test("an item has the words of its own blocks", () => {
  expect(findBlock(toItem({ id: "m2" }), given)).toEqual({ text: "Second\n\nResult", role: "assistant" });
  expect(findBlock(toItem({ slot: "system", kind: "system" }), given)?.text).toBe("Be kind.");
  expect(findBlock(toItem({ slot: "tools", kind: "tools" }), given)?.text).toBe("{one}\n\n{two}");
});

test("what stands within a larger block has that block's words", () => {
  expect(findBlock(toItem({ slot: "head", kind: "pin", id: "p1" }), given)?.text).toBe("Everything before");
});

test("what is not there has no words, and words that the item brings are its own", () => {
  expect(findBlock(toItem({ id: "m9" }), given)).toBeNull();
  expect(findBlock(toItem({ id: "m1" }), null)).toBeNull();
  expect(findBlock(toItem({ kind: "note", text: "Only once" }), null)?.text).toBe("Only once");
});

test("a search needs every word, anywhere, in any case", () => {
  expect(hasWords("SECOND answer", ["Answer 2", "the second one"])).toBe(true);
  expect(hasWords("second third", ["Answer 2", "the second one"])).toBe(false);
});

test("an excerpt is one short line", () => {
  expect(toExcerpt("a\n\n  b")).toBe("a b");
  expect(toExcerpt("x".repeat(200), 10)).toBe(`${"x".repeat(10)}…`);
});
