import { expect, test } from "vitest";
import { highlight, type Tree } from "./highlight.ts";

const toText = (tree: Tree): string =>
  tree
    .map((node) => (node.type === "text" ? node.value : node.type === "element" ? toText(node.children) : ""))
    .join("");

test("keeps the text unchanged", () => {
  const code = 'const a: string = "<b>"; // ü 🐦\n\tif (a) return `${a}`;';
  const tree = highlight(code, "ts");
  expect(tree && toText(tree)).toBe(code);
  expect(tree?.some((node) => node.type === "element")).toBe(true);
});

test("returns null for an unknown language or a very long text", () => {
  expect(highlight("x", "nosuch")).toBeNull();
  expect(highlight("x".repeat(60_001), "ts")).toBeNull();
});
