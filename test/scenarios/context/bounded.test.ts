import { expect, test } from "vitest";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";
import type { Json } from "../../support/model/validators/rule.ts";
import { tool } from "../../support/server/loop-tools.ts";

/** Requirements, the last list: 2 (tool results). */
const rows = Array.from({ length: 400 }, (_, at) => ({ id: `berth-${at}`, depthMeters: 4 + (at % 9), state: "free" }));

test("a large result is bounded by its structure before it is first sent, and can be opened again by its number", async () => {
  const chat = await startRecordedInstance({
    tools: [tool({ name: "list_berths", execute: async () => ({ output: { total: 400, rows } }) })],
    reply: (_, index) => {
      if (index === 0) return { calls: [{ name: "list_berths", input: {} }] };
      return index === 2
        ? { calls: [{ name: "read_artifact", input: { ref: 1, find: "berth-217" } }] }
        : "Many are free.";
    },
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "Which berths are there?");
  await live.ended(1);
  await chat.send(threadId, "And berth 217?");
  await live.ended(2);
  const results = (at: number): readonly string[] =>
    chat
      .sent()
      [at]!.body.messages.flatMap(({ content }: Json) => content)
      .filter(({ type }: Json) => type === "tool_result")
      .map(({ content }: Json) => content);
  const [first = ""] = results(1);
  expect(first).toContain("berth-0");
  expect(first).toContain("400");
  expect(first.length).toBeLessThan(JSON.stringify(rows).length / 2);
  expect(first).toMatch(/read_artifact/);
  expect(results(3)[0]).toBe(first);
  expect(results(3)[1]).toContain("berth-217");
});
