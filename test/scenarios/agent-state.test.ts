import { expect, test } from "vitest";
import type { AgentState } from "../../protocol/context/context.ts";
import { call, mintId, say, startInstance, type Instance } from "../support/instance.ts";
import { until } from "../support/server/until.ts";

/** Computed in the background after the turn. */
const stateAt = async ({ server }: Instance, threadId: string, depth: number): Promise<AgentState> => {
  const { read } = server.store;
  const branch = (await read.thread(threadId))?.branch ?? "";
  let state: AgentState | undefined;
  await until(`a state of depth ${depth}`, async () => {
    const row = await read.agentState(threadId, branch);
    state = row && (JSON.parse(row.body) as AgentState);
    return state?.depth === depth;
  });
  return state!;
};

test("the work state is reconciled after each turn and counted in the metrics", async () => {
  const instance = await startInstance({
    script: (request, index) =>
      index === 0
        ? call(
            { name: "calculate", input: '{"expression":"6*7"}' },
            { name: "calculate", input: '{"expression":"1/0"}' },
          )
        : say(JSON.stringify(request.messages).includes("yes please") ? "Done." : "It is 42. Shall I go on?"),
  });
  const { start, send, follow, url, client } = instance;
  const threadId = await start();
  await client.changeThread({ params: { threadId }, body: { id: mintId("policy"), policy: "snapshot" } });
  const live = follow(threadId);
  await send(threadId, "My lucky number is 7. What is six times it?");
  await live.ended();
  const first = await stateAt(instance, threadId, 2);
  expect(first).toMatchObject({
    goal: "My lucky number is 7. What is six times it?",
    facts: ["said at 1: My lucky number is 7."],
    results: [{ tool: "calculate", depth: 2, said: expect.stringContaining("42") }],
  });
  expect(first.pending).toEqual([expect.stringContaining("failed"), "asked the user: Shall I go on?"]);
  await send(threadId, "yes please");
  await live.ended(2);
  const second = await stateAt(instance, threadId, 4);
  expect(second.goal).toBe(first.goal);
  expect(second.pending).toHaveLength(1);
  await until("it is counted", async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/state_failures 0$/m);
    return /state_reconciled 2$/m.test(metrics);
  });
});
