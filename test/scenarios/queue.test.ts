import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { z } from "zod";
import { defineTool } from "../../server/tools/tool.ts";
import { answerWith, createScriptedModel } from "../browser/scripted-model.ts";
import { call, createGate, mintId, say, startInstance, withoutContextUpdates } from "../support/instance.ts";

test("a message sent during an answer is queued, and both are answered in order", async () => {
  const gate = createGate();
  const { start, send, follow } = await startInstance({
    script: async function* (request) {
      const last = request.messages.at(-1);
      if (last?.role === "user" && last.text === "slow") await gate.passed;
      yield* say(`re: ${last?.role === "user" ? last.text : "?"}`);
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "slow");
  await live.until(({ run }) => run?.state === "running");
  const waiting = await send(threadId, "next");
  const queued = await live.until(({ queue }) => queue.length === 1);
  expect(queued.queue).toMatchObject([{ id: waiting, kind: "message", text: "next" }]);
  gate.open();
  await live.ended(2);
  expect(live.view().queue).toEqual([]);
  expect(live.view().messages.map(({ parts }) => textOf(parts))).toEqual(["slow", "re: slow", "next", "re: next"]);
});

test("a withdrawn message is never sent", async () => {
  const gate = createGate();
  const sent: string[] = [];
  const { start, send, follow, client } = await startInstance({
    script: async function* (request) {
      sent.push(JSON.stringify(request.messages));
      await gate.passed;
      yield* say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "first");
  await live.until(({ run }) => run?.state === "running");
  const inputId = await send(threadId, "regretted");
  await client.withdrawInput({ params: { threadId, inputId } });
  await live.until(({ queue }) => queue.length === 0);
  gate.open();
  await live.ended();
  expect((await client.getThread({ params: { threadId } })).messages).toHaveLength(2);
  expect(sent.join()).not.toContain("regretted");
  await expect(client.withdrawInput({ params: { threadId, inputId: mintId() } })).rejects.toMatchObject({
    status: 404,
  });
});

test("a steering message is added to the running answer at its next step", async () => {
  const working = createGate();
  const finish = createGate();
  const tool = defineTool({
    name: "dig",
    description: "digs",
    input: z.object({}),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000 },
    execute: async () => {
      working.open();
      await finish.passed;
      return { output: "dug" };
    },
  });
  const prompts: string[] = [];
  const { start, send, follow, client } = await startInstance({
    tools: [tool],
    script: (request, index) => {
      prompts.push(
        JSON.stringify(
          withoutContextUpdates(request.messages).map((message) =>
            message.role === "user" ? message.text : message.role,
          ),
        ),
      );
      const dig = call({ name: "dig", input: "{}" });
      return index === 0 ? [...say("with a spade").slice(0, 3), ...dig] : say("finished");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "dig");
  await working.passed;
  await send(threadId, "deeper", { mode: "steer" });
  await send(threadId, "and wider", { mode: "steer" });
  finish.open();
  const run = await live.ended();
  expect(run.outcome).toBe("done");
  expect(prompts[1]).toBe(JSON.stringify(["dig", "assistant", "tool", "deeper", "and wider"]));
  expect(live.rows.filter(({ event }) => event.type === "run-started")).toHaveLength(1);
  const opened = await client.getThread({ params: { threadId } });
  expect(opened.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user", "assistant"]);
  expect(opened.messages).toEqual(live.view().messages);
  expect(opened.thread.messageCount).toBe(5);
  expect((await client.search({ query: { q: "spade" } })).hits).toHaveLength(1);
});

test("a steering message stops a model call, keeps its text, and is answered before queued messages", async () => {
  const voice = createScriptedModel();
  const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };
  const prompts: string[] = [];
  const { start, send, follow, client } = await startInstance({
    env,
    script: (request, ...rest) => {
      prompts.push(JSON.stringify(withoutContextUpdates(request.messages)));
      return voice.script(request, ...rest);
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "a story");
  (await voice.next()).say("Once upon a time");
  await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) !== "");
  await send(threadId, "later");
  const steering = { params: { threadId }, body: { id: mintId(), text: "shorter", mode: "steer" as const } };
  const first = await client.sendMessage(steering);
  expect(await client.sendMessage(steering)).toEqual(first);
  await answerWith(voice, "In short.");
  await answerWith(voice, "At last.");
  await live.ended(3);
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages.map(({ parts }) => textOf(parts))).toEqual([
    ...["a story", "Once upon a time", "shorter", "In short.", "later", "At last."],
  ]);
  expect(messages[1]).toMatchObject({ endedEarly: { outcome: "stopped" } });
  expect(prompts[1]).toMatch(/a story.*Once upon a time.*shorter/);
  expect(prompts[1]).not.toContain("later");
});

test("rejects messages when the queue is full, with an explanation", async () => {
  const gate = createGate();
  const { start, send, follow } = await startInstance({
    script: async function* () {
      await gate.passed;
      yield* say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "first");
  await live.until(({ run }) => run?.state === "running");
  for (let n = 0; n < 20; n += 1) await send(threadId, `message ${n}`);
  await expect(send(threadId, "one too many")).rejects.toMatchObject({ status: 429, code: "busy" });
  gate.open();
  await live.ended(21);
});

test("a steering message is queued when another branch is active", async () => {
  const working = createGate();
  const finish = createGate();
  const dig = defineTool({
    name: "dig",
    description: "digs",
    input: z.object({}),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000 },
    execute: async () => {
      working.open();
      await finish.passed;
      return { output: "dug" };
    },
  });
  const { start, send, follow, client } = await startInstance({
    tools: [dig],
    script: (request, index) => {
      const last = request.messages.at(-1);
      if (last?.role === "tool") return say("dug it");
      return index === 1 ? call({ name: "dig", input: "{}" }) : say(`answer ${index}`);
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  const first = await send(threadId, "one");
  await live.ended(1);
  await client.editMessage({ params: { threadId, messageId: first }, body: { id: mintId(), text: "uno" } });
  await working.passed;
  await client.activateMessage({ params: { threadId, messageId: first }, body: { id: mintId() } });
  await send(threadId, "here", { mode: "steer" });
  finish.open();
  await live.ended(3);
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages.map(({ parts }) => textOf(parts))).toEqual(["one", "answer 0", "here", "answer 3"]);
});
