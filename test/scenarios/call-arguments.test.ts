import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

test("arguments are repaired once, and what the thread knows is filled in before they are shown", async () => {
  const seen: unknown[] = [];
  const filled = tool({
    name: "filled",
    input: z.object({ q: z.string(), thread: z.string() }),
    fill: (input, { threadId }) => ({ thread: threadId, ...input }),
    execute: async (input) => ({ output: seen.push(input) }),
  });
  const { start, send, follow } = await startInstance({
    tools: [filled],
    script: (_, index) => (index === 0 ? call({ name: "filled", input: '```json\n{"q": "a\nb",}\n```' }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(seen).toEqual([{ q: "a\nb", thread: threadId }]);
  const first = live.rows.find(({ event }) => event.type === "part-settled" && event.part.kind === "tool");
  expect(first?.event).toMatchObject({ part: { input: { q: "a\nb", thread: threadId }, note: expect.any(String) } });
});
