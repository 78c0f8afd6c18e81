import { expect, test } from "vitest";
import { call, mintId, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

const look = tool({ name: "look", aliases: ["peek", "view_it"], execute: async () => ({ output: "a stone" }) });
const load = tool({
  name: "load",
  repeat: "keyed",
  effects: ["write"],
  approvalReason: (input) => ((input as { q?: string }).q === "much" ? "It is much at once." : undefined),
  execute: async () => ({ output: "loaded" }),
});

test("a tool can be called by its aliases but is offered and counted under its name", async () => {
  const offered: string[][] = [];
  const { start, send, follow } = await startInstance({
    tools: [look],
    script: (request, index) => {
      offered.push(request.tools.map(({ name }) => name));
      const calls = [
        { name: "peek", input: "{}" },
        { name: "use_tool", input: '{"name":"view_it","input":{}}' },
      ];
      return index < 2 ? call(calls[index]!) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  const [first, second] = toolParts(live);
  expect(first).toMatchObject({ name: "peek", state: "ok", output: "a stone" });
  // The same read again, by another alias.
  expect(second).toMatchObject({ state: "ok", output: "a stone", note: expect.stringContaining("made earlier") });
  expect(offered[0]).toContain("look");
  expect(offered.flat()).not.toContain("peek");
});

test.each(["once", "deny"] as const)(
  "a call needs approval by its arguments while the other call does not: %s",
  async (decision) => {
    const { start, send, follow, client } = await startInstance({
      tools: [load],
      script: (_, index) =>
        index === 0
          ? call({ name: "load", input: '{"q":"little"}' }, { name: "load", input: '{"q":"much"}' })
          : say("done"),
    });
    const threadId = await start();
    const live = follow(threadId);
    await send(threadId, "go");
    await live.until(({ run }) => run?.state === "waiting");
    expect(toolParts(live).map(({ state }) => state)).toEqual(["ok", "asking"]);
    const asking = toolParts(live)[1]!;
    expect(asking.asks).toEqual({ code: "asks", text: "It is much at once." });
    await client.decideCall({ params: { threadId }, body: { id: mintId(), partId: asking.id, decision } });
    await live.ended();
    expect(toolParts(live)[1]?.state).toBe(decision === "deny" ? "denied" : "ok");
  },
);
