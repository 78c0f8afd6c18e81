import { expect, test } from "vitest";
import type { ProfileView } from "../../../protocol/settings/profiles.ts";
import { findFaults, toChange, toForm } from "./profile-form.ts";

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
  model: null,
  version: 3,
  updatedAt: 0,
};
const form = toForm(view);

test("a form that nobody touched has no faults and changes nothing", () => {
  expect(findFaults(form, limits)).toEqual({});
  expect(toChange(form, view)).toBeNull();
  const turned = { ...view, limits: { ...limits, perTool: { now: 1, search_web: 3 } } };
  expect(toChange(form, turned)).toBeNull();
});

test("only what was changed is sent", () => {
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

test.each(["", "0", "1.5", "-3", "ten", "9".repeat(16)])("%s is no number of steps", (steps) => {
  const faults = findFaults({ ...form, limits: { ...form.limits, steps } }, { ...limits, steps: 1e15 });
  expect(faults).toEqual({ steps: "A whole number from 1 up." });
});

test("limits stay within the operator's", () => {
  const wide = { ...form, limits: { ...form.limits, tokens: "100001", costUsd: "3" } };
  expect(findFaults(wide, { ...limits, costUsd: 2 })).toEqual({
    tokens: "At most 100,000, as the operator has set it.",
    costUsd: "At most $2, as the operator has set it.",
  });
  expect(findFaults(form, { ...limits, costUsd: 2 }).costUsd).toBe("At most $2, as the operator has set it.");
});

test("a name is needed, and a tool stands among the limits once, with a number", () => {
  expect(findFaults({ ...form, name: "  " }, limits)).toEqual({ name: "A profile needs a name." });
  const once = { tool: "now", count: "1" };
  expect(findFaults({ ...form, perTool: [once, once] }, limits).perTool).toBe("A tool stands here twice.");
  expect(findFaults({ ...form, perTool: [{ ...once, count: "" }] }, limits).perTool).toMatch(/whole number/);
});
