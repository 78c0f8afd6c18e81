import { expect, test } from "vitest";
import { canThink, describeChoice, toJobName } from "./choice.ts";

test("leaves out default choices", () => {
  expect(describeChoice("Kimi K2", null, null)).toEqual(["Kimi K2"]);
  expect(describeChoice("Kimi K2", null, "medium")).toEqual(["Kimi K2"]);
  expect(describeChoice("Kimi K2", toJobName("research"), "high")).toEqual(["Kimi K2", "Research", "high effort"]);
  expect(describeChoice("Kimi K2", null, "none")).toEqual(["Kimi K2", "no thinking"]);
});

test("offers reasoning effort only for models that are sent it", () => {
  expect(canThink({ reasoning: true })).toBe(true);
  expect(canThink({ reasoning: false })).toBe(false);
  expect(canThink({ reasoning: true, effort: false })).toBe(false);
  expect(canThink({ reasoning: true, effort: true })).toBe(true);
  expect(canThink(undefined)).toBe(false);
});
