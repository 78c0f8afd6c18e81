import fc from "fast-check";
import { expect, test } from "vitest";
import { fromDoc, toChange, toDoc } from "./set-up.ts";

const apply = (text: string, change: ReturnType<typeof toChange>) =>
  change === null ? text : text.slice(0, change.from) + change.insert + text.slice(change.to);

test("toChange returns one edit that turns the first text into the second", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 20 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(apply(before, toChange(before, after))).toBe(after);
    }),
  );
  expect(toChange("same", "same")).toBeNull();
  expect(toChange("abcd", "abXd")).toEqual({ from: 2, to: 3, insert: "X" });
});

test("a file keeps its line endings through the editor", () => {
  const file = "a\r\nb\r\n";
  expect(toDoc(file)).toBe("a\nb\n");
  expect(fromDoc("a\nB\n", file)).toBe("a\r\nB\r\n");
  expect(fromDoc("a\nB\n", "a\nb\n")).toBe("a\nB\n");
});
