import { expect, test } from "vitest";
import { call, createGate, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

test("calls with the same lock run in sequence, the others in parallel", async () => {
  const order: string[] = [];
  const together = createGate();
  const write = tool({
    name: "write",
    repeat: "keyed",
    locks: (input) => [(input as { q: string }).q],
    execute: async (input) => {
      const { q } = input as { q: string };
      order.push(`begin ${q}`);
      if (order.filter((one) => one.startsWith("begin")).length === 2) together.open();
      await together.passed;
      order.push(`end ${q}`);
      return { output: q };
    },
  });
  const { start, send, follow } = await startInstance({
    tools: [write],
    script: (_, index) =>
      index === 0
        ? call(
            { name: "write", input: '{"q":"a"}' },
            { name: "write", input: '{"q":"a"}' },
            { name: "write", input: '{"q":"b"}' },
          )
        : say("done"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  const own = order.filter((one) => one.endsWith("a"));
  expect(own).toEqual(["begin a", "end a", "begin a", "end a"]);
  expect(order.slice(0, 2).toSorted()).toEqual(["begin a", "begin b"]);
});
