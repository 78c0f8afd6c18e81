import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

test("checks an answer's citations against the artifacts and returns their passages", async () => {
  const text = "Granite is an igneous rock. It is hard and coarse-grained.";
  const { start, send, follow } = await startInstance({
    tools: [
      tool({
        name: "look",
        execute: async (_, context) => ({
          output: context.saveArtifact({ kind: "page", title: "A", type: "text/html", text }).ref,
        }),
      }),
    ],
    script: (_, index) =>
      index === 0
        ? call({ name: "look", input: "{}" })
        : say('It is "an igneous rock" [1]. It is "made of cheese" [1]. See also [7], but `x[1]` is code.'),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what is granite?");
  await live.ended();
  const part = live
    .view()
    .messages.at(-1)
    ?.parts.find((one) => one.kind === "data");
  expect(part).toMatchObject({ name: "citations" });
  const citations = (part as { value: { ref: number; state: string; span?: [number, number] }[] }).value;
  expect(citations.map(({ ref, state }) => [ref, state])).toEqual([
    [1, "verified"],
    [1, "unverified"],
    [7, "missing"],
  ]);
  expect(text.slice(...(citations[0]?.span ?? [0, 0]))).toBe("an igneous rock");
});
