import { expect, test } from "vitest";
import { toolContext, toolDeps } from "../../test/support/server/tool-context.ts";
import create from "./now.tool.ts";
import type { Tool } from "./tool.ts";

const clock = { now: () => Date.UTC(2026, 10, 15, 12), monotonic: () => 0 };
const tool = create({ ...toolDeps, clock }) as Tool;
const context = toolContext();

test("returns the time in UTC or in the requested time zone", async () => {
  expect(await tool.execute({}, context)).toEqual({ output: "Sunday, 15 November 2026 at 12:00:00 UTC" });
  expect(await tool.execute({ timeZone: "Asia/Tokyo" }, context)).toMatchObject({
    output: expect.stringContaining("21:00:00"),
  });
});

test("an unknown time zone throws an error that names it", async () => {
  await expect(tool.execute({ timeZone: "Moon/Base" }, context)).rejects.toThrow(/time zone/i);
});
