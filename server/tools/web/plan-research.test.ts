import { expect, test } from "vitest";
import { toolContext, toolDeps } from "../../../test/support/server/tool-context.ts";
import type { Tool } from "../tool.ts";
import createPlan from "./plan-research.tool.ts";

const tool = createPlan(toolDeps) as Tool;
const plan = async (input: object): Promise<unknown> =>
  (await tool.execute(tool.input.parse(input), toolContext())).output;
const first = { query: "tax deadline 2025", priority: 1, why: "the date" };
const second = { query: "tax fine late", priority: 2, why: "what it costs" };

test("sorts queries by priority", async () => {
  expect(await plan({ queries: [second, first] })).toEqual({ queries: [first, second] });
});

test("merges duplicate queries at the higher priority", async () => {
  expect(await plan({ queries: [{ ...first, query: "TAX  deadline 2025", priority: 3 }, first, second] })).toEqual({
    queries: [first, second],
  });
});

test("a plan has one to three queries of at most 200 characters", () => {
  const isValid = (queries: object[]): boolean => tool.input.safeParse({ queries }).success;
  expect(isValid([first])).toBe(true);
  expect(isValid([])).toBe(false);
  expect(isValid([first, second, first, second])).toBe(false);
  expect(isValid([{ ...first, query: "x".repeat(201) }])).toBe(false);
  expect(isValid([{ ...first, priority: 4 }])).toBe(false);
});

test("sends nothing and is summarized in one line", () => {
  const input = { queries: [first, second] };
  expect(tool.effects).toEqual(["read"]);
  expect(tool.describe?.(input)).toBe("Plan 2 searches");
  expect(tool.summarize?.(input, input)).toBe("Planned to search: “tax deadline 2025”, “tax fine late”");
});
