import { expect, test } from "vitest";
import { editBody } from "./edit-body.ts";

const text = "# Plan\n\nBuy stone.\nCut stone.\n\nThe price is $5.";

test("replaces a text, appends to it, or edits the named span", () => {
  expect(editBody(text, { body: "new" }, "Plan")).toBe("new");
  expect(editBody("one\n\n", { append: "two" }, "Plan")).toBe("one\n\ntwo");
  expect(editBody("", { append: "two" }, "Plan")).toBe("two");
  expect(editBody(text, { edit: { old: "Cut stone", new: "Cut marble" } }, "Plan")).toContain(
    "Buy stone.\nCut marble.",
  );
  expect(editBody(text, {}, "Plan")).toBeUndefined();
});

test("inserts the new text literally", () => {
  expect(editBody(text, { edit: { old: "$5", new: "$& $1 $$" } }, "Plan")).toContain("The price is $& $1 $$.");
});

test("a span that occurs more than once or overlaps itself changes nothing and shows where it occurs", () => {
  expect(() => editBody(text, { edit: { old: "stone", new: "wood" } }, "Plan")).toThrow(/2 times[^]*3: Buy stone\./);
  expect(() => editBody("aaa", { edit: { old: "aa", new: "b" } }, "Plan")).toThrow(/2 times/);
});

test("a missing span changes nothing and shows the nearest lines", () => {
  expect(() => editBody(text, { edit: { old: "Cut the stone!", new: "" } }, "Plan")).toThrow(/4: Cut stone\./);
  expect(() => editBody("", { edit: { old: "x", new: "" } }, "Plan")).toThrow(/no text to edit/);
  expect(() => editBody(text, { edit: { old: "", new: "y" } }, "Plan")).toThrow(/does not contain/);
});

test("accepts only one of body, append and edit", () => {
  expect(() => editBody(text, { body: "a", append: "b" }, "Plan")).toThrow(/one of body, append and edit/);
});
