import { expect, test } from "vitest";
import { nameTools, type ToolKey } from "./tool-names.ts";

const key = (server: string, tool: string): ToolKey => ({ server, tool });

test("names a tool after its server and itself, unchanged if possible", () => {
  expect(nameTools([key("files", "read_file"), key("my-shop", "get.sum"), key("a", "_b")])).toEqual([
    "mcp__files__read_file",
    expect.stringMatching(/^mcp__my-shop__get_sum_[0-9a-f]{6}$/),
    "mcp__a___b",
  ]);
});

const pairs = [
  [key("a", "b__c"), key("a__b", "c")],
  [key("a", "_b"), key("a_", "b")],
  [key("a b", "c"), key("a_b", "c")],
  [key("a", "b c"), key("a", "b.c")],
  [key("a", "x".repeat(100)), key("a", `${"x".repeat(100)}y`)],
  [key("ä", "ö"), key("ü", "ß")],
];

test("names are unique, valid for every provider and independent of order", () => {
  for (const pair of pairs) {
    const names = nameTools(pair);
    expect(new Set(names).size, JSON.stringify(pair)).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(nameTools(pair.toReversed()).toReversed()).toEqual(names);
  }
});

test("a tool cannot take over the shortened name of another tool", () => {
  const long = key("shop", "pay/with card");
  const [shortened = ""] = nameTools([long]);
  const squatter = key("shop", shortened.slice("mcp__shop__".length));
  const [first, second] = nameTools([long, squatter]);
  expect(second).toBe(shortened);
  expect(first).not.toBe(shortened);
  expect(first).toMatch(/^mcp__shop__pay_with_card_[0-9a-f]{12}$/);
});
