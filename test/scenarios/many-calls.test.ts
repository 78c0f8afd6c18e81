import { expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

const CALLS = 3_000;

/** Streamed like providers do: announced, then in deltas, then complete. */
const streamed = (events: readonly ModelEvent[]): ModelEvent[] =>
  events.flatMap((event): ModelEvent[] => {
    if (event.type !== "tool-call") return [event];
    const { key, callId, name, inputText } = event;
    return [{ type: "tool-start", key, callId, name }, { type: "delta", key, text: inputText }, event];
  });

test.each([
  ["whole", (events: ModelEvent[]) => events],
  ["streamed", streamed],
])(
  "of 3,000 tool calls in one step, %s, 32 are run, and the model and the user see how many were dropped",
  async (_, shape) => {
    const requests: ModelRequest[] = [];
    let runs = 0;
    const look = tool({
      name: "look",
      repeat: "once",
      execute: async () => {
        runs += 1;
        return { output: "seen" };
      },
    });
    const calls = Array.from({ length: CALLS }, (__, n) => ({ name: "look", input: `{"q":"${n}"}`, id: `call-${n}` }));
    const { start, send, follow, client } = await startInstance({
      tools: [look],
      script: (request, index) => {
        requests.push(request);
        return index === 0 ? shape(call(...calls)) : say("done");
      },
    });
    const threadId = await start();
    const live = follow(threadId);
    await send(threadId, "go");
    expect((await live.ended()).outcome).toBe("done");
    expect(runs).toBe(32);

    const { messages } = await client.getThread({ params: { threadId } });
    const parts = messages.at(-1)?.parts ?? [];
    const tools = parts.filter((part) => part.kind === "tool");
    expect(tools.map(({ state }) => state)).toEqual([...Array<string>(32).fill("ok"), "error"]);
    expect(parts.filter((part) => part.kind === "notice")).toMatchObject([
      { code: "too-many-calls", text: "The model made 3000 tool calls in one step. Only the first 32 are run." },
    ]);
    expect(parts.map(({ n }) => n)).toEqual([...new Set(parts.map(({ n }) => n))].toSorted((a, b) => a - b));
    const second = JSON.stringify(requests[1]?.messages);
    expect(second).toContain("2968 call(s) were not run: one step can have at most 32 calls.");
    expect(second).toContain("call-32");
    expect(second).not.toContain("call-33");
  },
);

test("runs all 32 calls of one step without a limit notice", async () => {
  const look = tool({ name: "look", repeat: "once", execute: async () => ({ output: "seen" }) });
  const calls = Array.from({ length: 32 }, (_, n) => ({ name: "look", input: `{"q":"${n}"}`, id: `call-${n}` }));
  const { start, send, follow, client } = await startInstance({
    tools: [look],
    script: (_, index) => (index === 0 ? call(...calls) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  const { messages } = await client.getThread({ params: { threadId } });
  const parts = messages.at(-1)?.parts ?? [];
  expect(parts.filter((part) => part.kind === "tool" && part.state === "ok")).toHaveLength(32);
  expect(parts.filter((part) => part.kind === "notice")).toEqual([]);
});
