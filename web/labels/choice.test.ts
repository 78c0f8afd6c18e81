import { expect, test } from "vitest";
import { canThink, describeChoice, toJobName } from "./choice.ts";

test("what is usual is not said", () => {
  expect(describeChoice("Kimi K2", null, null)).toEqual(["Kimi K2"]);
  expect(describeChoice("Kimi K2", null, "medium")).toEqual(["Kimi K2"]);
  expect(describeChoice("Kimi K2", toJobName("research"), "high")).toEqual(["Kimi K2", "Research", "high effort"]);
  expect(describeChoice("Kimi K2", null, "none")).toEqual(["Kimi K2", "no thinking"]);
});

test("effort is offered where it is told to the model, and nowhere else", () => {
  expect(canThink({ reasoning: true, provider: "openrouter" })).toBe(true);
  expect(canThink({ reasoning: false, provider: "openrouter" })).toBe(false);
  expect(canThink({ reasoning: true, provider: "compatible" })).toBe(false);
  expect(canThink(undefined)).toBe(false);
});
