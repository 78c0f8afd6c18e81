import { expect, test } from "vitest";
import { call, createGate, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("shows a tool's progress while it runs and removes it afterwards", async () => {
  const shown = createGate();
  const slow = tool({
    name: "slow",
    execute: async (_, { progress }) => {
      progress({ text: "half way", done: 1, of: 2 });
      await shown.passed;
      return { output: "done" };
    },
  });
  const { start, send, follow } = await startInstance({
    tools: [slow],
    script: (_, index) => (index === 0 ? call({ name: "slow", input: "{}" }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.until(() => toolParts(live)[0]?.progress?.text === "half way");
  shown.open();
  await live.ended();
  expect(toolParts(live)[0]).toMatchObject({ state: "ok", startedAt: expect.any(Number), endedAt: expect.any(Number) });
  expect(toolParts(live)[0]?.progress).toBeUndefined();
});
