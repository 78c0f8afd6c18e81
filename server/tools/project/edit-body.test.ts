import { expect, test } from "vitest";
import { editBody } from "./edit-body.ts";

const text = "# Plan\n\nBuy stone.\nCut stone.\n\nThe price is $5.";

test("a text is replaced, added to, or edited at the one place that is named", () => {
  expect(editBody(text, { body: "new" }, "Plan")).toBe("new");
  expect(editBody("one\n\n", { append: "two" }, "Plan")).toBe("one\n\ntwo");
  expect(editBody("", { append: "two" }, "Plan")).toBe("two");
  expect(editBody(text, { edit: { old: "Cut stone", new: "Cut marble" } }, "Plan")).toContain(
    "Buy stone.\nCut marble.",
  );
  expect(editBody(text, {}, "Plan")).toBeUndefined();
});

test("what is put in is taken literally", () => {
  expect(editBody(text, { edit: { old: "$5", new: "$& $1 $$" } }, "Plan")).toContain("The price is $& $1 $$.");
});

test("a span that stands there more than once, or overlaps itself, changes nothing and shows where", () => {
  expect(() => editBody(text, { edit: { old: "stone", new: "wood" } }, "Plan")).toThrow(/2 times[^]*3: Buy stone\./);
  expect(() => editBody("aaa", { edit: { old: "aa", new: "b" } }, "Plan")).toThrow(/2 times/);
});

test("a span that is not there changes nothing, and the nearest true lines come back", () => {
  expect(() => editBody(text, { edit: { old: "Cut the stone!", new: "" } }, "Plan")).toThrow(/4: Cut stone\./);
  expect(() => editBody("", { edit: { old: "x", new: "" } }, "Plan")).toThrow(/no text to edit/);
  expect(() => editBody(text, { edit: { old: "", new: "y" } }, "Plan")).toThrow(/does not hold/);
});

test("only one way at a time", () => {
  expect(() => editBody(text, { body: "a", append: "b" }, "Plan")).toThrow(/one of body, append and edit/);
});
