import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

test("failed and unknown writes are reported by code, regardless of the answer", async () => {
  const { start, send, follow } = await startInstance({
    tools: [
      tool({
        name: "save",
        repeat: "keyed",
        effects: ["write"],
        describe: (input) => `Save ${(input as { q: string }).q}`,
        execute: async (input) => {
          if ((input as { q: string }).q === "bad") throw new Error("disk");
          return { output: "saved" };
        },
      }),
    ],
    script: (_, index) =>
      index === 0
        ? call({ name: "save", input: '{"q":"good"}' }, { name: "save", input: '{"q":"bad"}' })
        : say("All saved!"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "save both");
  await live.ended();
  const notice = live
    .view()
    .messages.at(-1)
    ?.parts.find((part) => part.kind === "notice");
  expect(notice).toMatchObject({ code: "failed-writes", text: expect.stringContaining("Save bad: failed") });
  expect(JSON.stringify(notice)).not.toContain("Save good");
});
