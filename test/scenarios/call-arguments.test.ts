import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("repairs arguments once and fills in those that follow from the thread", async () => {
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

test("an unknown argument is an error that lists the known ones and stays in the history", async () => {
  let runs = 0;
  const list = tool({
    name: "list",
    input: z.object({ q: z.string(), rows: z.array(z.object({ id: z.string() })).optional() }),
    execute: async () => ({ output: (runs += 1) }),
  });
  const inputs = ['{"q":"a","limit":3}', '{"q":"a","rows":[{"id":"r","size":1}]}', '{"q":"a"}'];
  const prompts: string[] = [];
  const { start, send, follow } = await startInstance({
    tools: [list],
    script: (request, index) => {
      prompts.push(JSON.stringify(request.messages));
      return index < inputs.length ? call({ name: "list", input: inputs[index]! }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(toolParts(live)).toMatchObject([
    {
      state: "error",
      input: { q: "a", limit: 3 },
      errorText: "Not run. Unknown argument: limit. Known arguments: q, rows.",
    },
    {
      state: "error",
      input: { q: "a", rows: [{ id: "r", size: 1 }] },
      errorText: expect.stringContaining("rows.0.size"),
    },
    { state: "ok" },
  ]);
  expect(runs).toBe(1);
  expect(prompts.at(-1)).toContain('{"q":"a","limit":3}');
  expect(prompts.at(-1)).toContain("Unknown argument: limit");
});
