import { expect, test } from "vitest";
import { hasWords, pairBlocks, toExcerpt, type BlockInput } from "./blocks.ts";
import { toItem } from "./sample-receipt.ts";

const request: BlockInput = {
  system: "Be kind.",
  tools: [
    { name: "one", description: "The first.", inputSchema: { type: "object" } },
    { name: "two", description: "The second.", inputSchema: {} },
  ],
  blocks: [
    { slot: "head", kind: "block", id: "p1", role: "user", text: "Everything before" },
    { slot: "log", kind: "message", id: "m1", role: "user", text: "First" },
    { slot: "log", kind: "message", id: "m2", role: "assistant", text: "look(1)" },
    { slot: "log", kind: "message", id: "m2", role: "tool", text: "look: found" },
    { slot: "log", kind: "message", id: "m2", role: "assistant", text: "Second" },
    { slot: "now", kind: "clock", id: "m4", role: "user", text: "It is late. m1: First" },
  ],
};

test("pairs each item and each step of a message with its text", () => {
  const items = [
    toItem({ slot: "tools", kind: "tools" }),
    toItem({ slot: "system", kind: "system" }),
    toItem({ id: "m1" }),
    toItem({ id: "m2", parts: [0, 1] }),
    toItem({ id: "m2", parts: [2] }),
    toItem({ slot: "now", kind: "note", text: "Only once" }),
  ];
  expect(pairBlocks(items, request)).toEqual([
    { text: 'one\nThe first.\n{\n  "type": "object"\n}\n\ntwo\nThe second.\n{}', role: null, isOwn: true },
    { text: "Be kind.", role: null, isOwn: true },
    { text: "First", role: "user", isOwn: true },
    { text: "look(1)\n\nlook: found", role: "assistant", isOwn: true },
    { text: "Second", role: "assistant", isOwn: true },
    { text: "Only once", role: null, isOwn: true },
  ]);
});

test("pairs an item inside a larger block with the whole block", () => {
  const items = [
    toItem({ slot: "head", kind: "pin", id: "p1" }),
    toItem({ slot: "head", kind: "summary", id: "s1" }),
    toItem({ slot: "now", kind: "clock", id: "m4", why: "told" }),
    toItem({ slot: "now", kind: "recall", id: "m1" }),
  ];
  expect(pairBlocks(items, request).map((item) => [item?.text, item?.isOwn])).toEqual([
    ["Everything before", false],
    ["Everything before", false],
    ["It is late. m1: First", true],
    ["It is late. m1: First", false],
  ]);
});

test("returns null for an item without text", () => {
  expect(pairBlocks([toItem({ id: "m9" })], request)).toEqual([null]);
  expect(pairBlocks([toItem({ id: "m1" })], null)).toEqual([null]);
});

test("matches every word anywhere, ignoring case", () => {
  expect(hasWords("SECOND answer", ["Answer 2", "the second one"])).toBe(true);
  expect(hasWords("second third", ["Answer 2", "the second one"])).toBe(false);
});

test("shortens an excerpt to one line", () => {
  expect(toExcerpt("a\n\n  b")).toBe("a b");
  expect(toExcerpt("x".repeat(200), 10)).toBe(`${"x".repeat(10)}…`);
});
