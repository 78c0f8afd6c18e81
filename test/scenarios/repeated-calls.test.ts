import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("repeats of a read return the earlier result with a note until something is written", async () => {
  let reads = 0;
  const prompts: string[] = [];
  const steps = ["read", "read", "write", "read"];
  const { start, send, follow } = await startInstance({
    tools: [
      tool({ name: "read", execute: async () => ({ output: `read ${++reads}` }) }),
      tool({ name: "write", repeat: "keyed", effects: ["write"] }),
    ],
    script: (request, index) => {
      prompts.push(JSON.stringify(request.messages.at(-1)));
      return steps[index] ? call({ name: steps[index], input: '{"q":"x"}' }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(reads).toBe(2);
  expect(toolParts(live).map(({ output }) => output)).toEqual(["read 1", "read 1", "found", "read 2"]);
  expect(toolParts(live)[1]?.note).toContain("made earlier");
  expect(prompts[2]).toContain("made earlier");
});

test("a call repeated three times is not run again, and the run continues", async () => {
  let made = 0;
  const fails = tool({
    name: "fails",
    execute: () => {
      made += 1;
      return Promise.reject(new Error("no"));
    },
  });
  const { start, send, follow } = await startInstance({
    tools: [fails],
    script: (_, index) => (index < 3 ? call({ name: "fails", input: "{}" }) : say("I give up")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(made).toBe(2);
  expect(toolParts(live)[2]).toMatchObject({
    state: "error",
    errorText: expect.stringContaining("already made twice"),
  });
});
