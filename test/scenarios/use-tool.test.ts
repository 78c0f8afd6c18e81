import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("use_tool calls a tool that is not offered and validates its arguments", async () => {
  const hidden = tool({
    name: "hidden",
    describe: (input) => `Hide ${(input as { n: number }).n}`,
    input: z.object({ n: z.number() }),
    execute: async (input) => ({ output: input }),
  });
  const { start, send, follow } = await startInstance({
    tools: [hidden],
    script: (_, index) =>
      index === 0
        ? call(
            { name: "use_tool", input: '{"name":"hidden","input":{"n":3}}' },
            { name: "use_tool", input: '{"name":"hidden","input":{"n":"x"}}' },
            { name: "use_tool", input: '{"name":"use_tool","input":{}}' },
          )
        : say("done"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(toolParts(live)).toMatchObject([
    { state: "ok", title: "Hide 3", output: { n: 3 } },
    { state: "error", errorText: expect.stringContaining("n:") },
    { state: "error", errorText: expect.stringContaining("There is no tool") },
  ]);
});
