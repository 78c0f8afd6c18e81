import { expect, test } from "vitest";
import type { ProfileView } from "../../../protocol/settings/profiles.ts";
import { validateForm, toChange, toForm } from "./profile-form.ts";

const limits = {
  steps: 8,
  calls: 20,
  tokens: 100_000,
  costUsd: null,
  seconds: 300,
  perTool: { search_web: 3, now: 1 },
};
const view: ProfileView = {
  id: "p",
  name: "Mine",
  builtIn: false,
  messageCharacters: 100_000,
  from: "stone",
  instructions: "Be brief.",
  tools: ["now"],
  limits,
  policy: "stone",
  window: { messages: null, characters: null, pageCharacters: null, messageCharacters: null },
  model: null,
  version: 3,
  updatedAt: 0,
};
const form = toForm(view);

test("an unchanged form has no errors and no changes", () => {
  expect(validateForm(form, limits)).toEqual({});
  expect(toChange(form, view)).toBeNull();
  const reordered = { ...view, limits: { ...limits, perTool: { now: 1, search_web: 3 } } };
  expect(toChange(form, reordered)).toBeNull();
});

test("returns only changed fields", () => {
  expect(toChange({ ...form, name: " Yours " }, view)).toEqual({ name: "Yours" });
  expect(toChange({ ...form, tools: null, model: "a/b" }, view)).toEqual({ tools: null, model: "a/b" });
  expect(toChange({ ...form, limits: { ...form.limits, steps: "9", costUsd: "0,50" } }, view)).toEqual({
    limits: { steps: 9, costUsd: 0.5 },
  });
  const perTool = [
    { tool: "now", count: "2" },
    { tool: "", count: "" },
  ];
  expect(toChange({ ...form, perTool }, view)).toEqual({ limits: { perTool: { now: 2 } } });
});

test.each(["", "0", "1.5", "-3", "ten", "9".repeat(16)])("rejects %j as a number of steps", (steps) => {
  const errors = validateForm({ ...form, limits: { ...form.limits, steps } }, { ...limits, steps: 1e15 });
  expect(errors).toEqual({ steps: "Enter a whole number of at least 1." });
});

test("rejects limits above the operator's", () => {
  const wide = { ...form, limits: { ...form.limits, tokens: "100001", costUsd: "3" } };
  expect(validateForm(wide, { ...limits, costUsd: 2 })).toEqual({
    tokens: "The operator allows at most 100,000.",
    costUsd: "The operator allows at most $2.",
  });
  expect(validateForm(form, { ...limits, costUsd: 2 }).costUsd).toBe("The operator allows at most $2.");
});

test("requires a name, and one limit with a number per tool", () => {
  expect(validateForm({ ...form, name: "  " }, limits)).toEqual({ name: "Enter a name." });
  const once = { tool: "now", count: "1" };
  expect(validateForm({ ...form, perTool: [once, once] }, limits).perTool).toBe("Each tool can have only one limit.");
  expect(validateForm({ ...form, perTool: [{ ...once, count: "" }] }, limits).perTool).toMatch(/whole number/);
});

test("the window is optional, bounded, and sent where it changed", () => {
  const set = {
    ...form,
    window: { messages: "30", characters: "", pageCharacters: " 6000 ", messageCharacters: "500" },
  };
  expect(validateForm(set, limits)).toEqual({});
  expect(toChange(set, view)).toEqual({ window: { messages: 30, pageCharacters: 6000, messageCharacters: 500 } });
  const back = { ...view, window: { messages: 30, characters: null, pageCharacters: null, messageCharacters: null } };
  expect(toChange(form, back)).toEqual({ window: { messages: null } });
  for (const messages of ["0", "501", "many", "-1"]) {
    const errors = validateForm({ ...form, window: { ...form.window, messages } }, limits);
    expect(errors.messages).toBe("Enter a whole number from 1 to 500, or leave it empty.");
  }
});
