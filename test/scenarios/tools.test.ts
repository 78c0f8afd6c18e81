import { expect, test } from "vitest";
import { z } from "zod";
import type { PartOf } from "../../protocol/parts.ts";
import { defineTool, type Tool } from "../../server/tools/tool.ts";
import {
  call,
  createGate,
  mintId,
  say,
  startInstance,
  type Follower,
  withoutContextUpdates,
} from "../support/instance.ts";

const adder = defineTool({
  name: "add",
  description: "adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  repeat: "pure",
  effects: ["read"],
  limits: { timeoutMs: 5000 },
  execute: async ({ a, b }) => ({ output: a + b }),
});
const tools = [adder];

const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));

test("a tool's result is sent to the model with its call, also in later turns", async () => {
  const prompts: unknown[] = [];
  const { start, send, follow } = await startInstance({
    tools,
    script: (request, index) => {
      prompts.push(withoutContextUpdates(request.messages));
      return index === 0 ? call({ name: "add", input: '{"a":2,"b":3}' }) : say("five");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "add them");
  const run = await live.ended();
  expect(run).toMatchObject({ outcome: "done", step: 2 });
  expect(toolParts(live)).toMatchObject([{ state: "ok", name: "add", input: { a: 2, b: 3 }, output: 5 }]);
  await send(threadId, "again");
  await live.ended(2);
  const pair = [
    { role: "user", text: "add them" },
    { role: "assistant", parts: [{ kind: "tool-call", callId: "call-0", name: "add", input: { a: 2, b: 3 } }] },
    { role: "tool", results: [{ callId: "call-0", name: "add", text: "5", failed: false }] },
  ];
  expect(prompts[1]).toEqual(pair);
  expect(prompts[2]).toEqual([
    ...pair,
    { role: "assistant", parts: [{ kind: "text", text: "five" }] },
    { role: "user", text: "again" },
  ]);
});

test("invalid calls get an error result while the other calls run", async () => {
  let second: unknown;
  const { start, send, follow } = await startInstance({
    tools,
    script: (request, index) => {
      if (index > 0) {
        second = request.messages.at(-1);
        return say("understood");
      }
      return call(
        { name: "add", input: '{"a":1,"b":1}', id: "same" },
        { name: "add", input: '{"a":"x"}', id: "same" },
        { name: "add", input: "{broken", id: "" },
        { name: "add", input: "[1,2]" },
        { name: "subtract", input: "{}" },
        { name: "", input: "" },
      );
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(toolParts(live).map(({ state }) => state)).toEqual(["ok", "error", "error", "error", "error", "error"]);
  const ids = toolParts(live).map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(second).toMatchObject({
    role: "tool",
    results: [{ text: "2" }, { failed: true }, {}, {}, { text: expect.stringContaining("Available tools: add") }, {}],
  });
});

test("a result that does not match the tool's output schema is an error, and is neither stored nor sent", async () => {
  let sent = "";
  const counter = defineTool({ ...adder, name: "count", output: z.object({ count: z.number() }), execute: lie });
  async function lie() {
    return { output: { count: "four hundred" } };
  }
  const { start, send, follow } = await startInstance({
    tools: [counter],
    script: ({ messages }, index) => {
      sent = JSON.stringify(messages);
      return index === 0 ? call({ name: "count", input: '{"a":1,"b":2}' }) : say("It failed.");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "count them");
  await live.ended();
  expect(toolParts(live)).toMatchObject([
    { state: "error", errorText: expect.stringContaining("does not match the tool's output schema") },
  ]);
  expect(sent + JSON.stringify(live.rows)).not.toContain("four hundred");
});

test("parts of every kind that a model sends are stored and streamed alike: reasoning, documents, URLs, files", async () => {
  const { start, send, follow, client } = await startInstance({
    script: () => [
      { type: "start", key: "r", kind: "reasoning" },
      { type: "delta", key: "r", text: "I look it up." },
      { type: "end", key: "r", provider: { signature: "abc" } },
      { type: "source", sourceType: "document", title: "Harbour plan", mediaType: "application/pdf" },
      { type: "source", sourceType: "url", url: "https://a.example/", title: "A" },
      { type: "file", mediaType: "image/png", content: "iVBORw0KGgo=" },
      ...say("Here it is."),
    ],
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "show me");
  await live.ended();
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages[1]?.parts).toMatchObject([
    { kind: "context" },
    { kind: "step", step: 1 },
    { kind: "reasoning", state: "done", text: "I look it up.", provider: { signature: "abc" } },
    { kind: "source", sourceType: "document", title: "Harbour plan", mediaType: "application/pdf" },
    { kind: "source", sourceType: "url", url: "https://a.example/" },
    { kind: "file", mediaType: "image/png" },
    { kind: "text", state: "done", text: "Here it is." },
  ]);
  expect(live.view().messages[1]?.parts).toEqual(messages[1]?.parts);
});

test("a tool that throws or times out returns an error to the model", async () => {
  const failing: Tool = {
    ...adder,
    name: "fail",
    input: z.object({}),
    execute: () => Promise.reject(new Error("no such page")),
  };
  const endless: Tool = {
    ...failing,
    name: "hang",
    repeat: "once",
    effects: ["read"],
    limits: { timeoutMs: 20 },
    execute: () => new Promise(() => {}),
  };
  const { start, send, follow } = await startInstance({
    tools: [failing, endless],
    script: (_, index) =>
      index === 0 ? call({ name: "fail", input: "{}" }, { name: "hang", input: "{}" }) : say("sorry"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(toolParts(live)).toMatchObject([
    { state: "error", errorText: "no such page" },
    { state: "unknown", errorText: expect.stringContaining("may have taken effect") },
  ]);
});

test("at the step limit the model answers without tools and the run records the reason", async () => {
  const choices: string[] = [];
  const { start, send, follow } = await startInstance({
    tools,
    env: { STONECHAT_MAX_STEPS: "3" },
    script: (request, index) => {
      choices.push(String(request.toolChoice));
      return request.toolChoice === "none" ? say("what I have") : call({ name: "add", input: `{"a":${index},"b":1}` });
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "loop");
  const run = await live.ended();
  expect(run).toMatchObject({ outcome: "limit", reason: { code: "limit-steps" } });
  expect(choices).toEqual(["auto", "auto", "auto", "none"]);
  expect(toolParts(live).every(({ state }) => state === "ok")).toBe(true);
});

test("calls beyond the limit are cancelled, and a model that keeps calling still ends", async () => {
  let executed = 0;
  const counting: Tool = {
    ...adder,
    input: z.object({ n: z.number() }),
    execute: async () => ({ output: ++executed }),
  };
  const { start, send, follow } = await startInstance({
    tools: [counting],
    env: { STONECHAT_MAX_CALLS: "5" },
    script: (_, index) =>
      call(...Array.from({ length: 200 }, (_, n) => ({ name: "add", input: `{"n":${index * 200 + n}}` }))),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "flood");
  expect((await live.ended()).outcome).toBe("limit");
  expect(executed).toBe(5);
  expect(toolParts(live).filter(({ state }) => state === "cancelled")).toHaveLength(32 - 5 + 32);
  const refused = toolParts(live).filter(({ state }) => state === "error");
  expect(refused.map(({ errorText }) => errorText)).toEqual([
    expect.stringContaining("32"),
    expect.stringContaining("32"),
  ]);
});

test("stop aborts a running tool, and nothing is written afterwards", async () => {
  const working = createGate();
  const aborted = createGate();
  const slow: Tool = {
    ...adder,
    name: "slow",
    input: z.object({}),
    repeat: "once",
    execute: (_, { signal }) =>
      new Promise((resolve) => {
        working.open();
        signal.addEventListener("abort", () => {
          aborted.open();
          resolve({ output: "too late" });
        });
      }),
  };
  const { start, send, follow, client } = await startInstance({
    tools: [slow],
    script: (_, index) => (index === 0 ? call({ name: "slow", input: "{}" }) : say("next")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await working.passed;
  await client.stopRun({ params: { threadId }, body: { id: mintId() } });
  await aborted.passed;
  expect((await live.ended()).outcome).toBe("stopped");
  expect(toolParts(live)).toMatchObject([{ state: "unknown" }]);
  await send(threadId, "and now?");
  expect((await live.ended(2)).outcome).toBe("done");
  expect(toolParts(live)).toMatchObject([{ state: "unknown" }]);
});

test("a result that cannot be stored fails the call, which runs once", async () => {
  let executed = 0;
  const odd: Tool = {
    ...adder,
    input: z.object({}),
    execute: async () => {
      executed += 1;
      return { output: { big: 1n } };
    },
  };
  const { start, send, follow } = await startInstance({
    tools: [odd],
    script: (_, index) => (index === 0 ? call({ name: "add", input: "{}" }) : say("sorry")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(toolParts(live)).toMatchObject([{ state: "error", errorText: expect.stringMatching(/BigInt/) }]);
  expect(executed).toBe(1);
});

test("if a tool's database writes fail, the call fails without a result", async () => {
  const clash: Tool = {
    ...adder,
    input: z.object({}),
    execute: async () => ({
      output: "stored",
      commit: { events: [], writes: [{ do: "insert", table: "users", row: { id: "local", created_at: 1 } }] },
    }),
  };
  const { start, send, follow } = await startInstance({
    tools: [clash],
    script: (_, index) => (index === 0 ? call({ name: "add", input: "{}" }) : say("sorry")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(toolParts(live)).toMatchObject([{ state: "error" }]);
});

test("every call of a run has a unique key and id, even if the provider repeats ids", async () => {
  const keys: string[] = [];
  const keyed: Tool = {
    ...adder,
    repeat: "keyed",
    input: z.object({ n: z.number() }),
    execute: async (_, { key }) => ({ output: keys.push(key) }),
  };
  const { start, send, follow } = await startInstance({
    tools: [keyed],
    script: (_, index) => (index < 3 ? call({ name: "add", input: `{"n":${index}}`, id: "call-0" }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(new Set(keys).size).toBe(3);
  expect(new Set(toolParts(live).map(({ callId }) => callId)).size).toBe(3);
});

test("rejects arguments that are nested too deeply", async () => {
  const { start, send, follow } = await startInstance({
    tools,
    script: (_, index) =>
      index === 0 ? call({ name: "add", input: `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}` }) : say("sorry"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect(await live.ended()).toMatchObject({ outcome: "done", step: 2 });
  expect(toolParts(live)).toMatchObject([{ state: "error" }]);
});
