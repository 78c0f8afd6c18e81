import type { Receipt } from "../../protocol/context/receipt.ts";
import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { createGate, mintId, say, startInstance, withoutContextUpdates } from "../support/instance.ts";

test("a message gets an answer, a title and a preview, identical live and after reopening", async () => {
  const { start, send, follow, client } = await startInstance({ script: () => say("Four. **Always** four.") });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "What is two and two?");
  const run = await live.ended();
  expect(run.outcome).toBe("done");
  const view = await live.until(({ thread }) => thread?.status === "idle");
  const opened = await client.getThread({ params: { threadId } });
  expect(opened).toEqual({ seq: view.seq, thread: view.thread, messages: view.messages, queue: [], run: view.run });
  expect(opened.thread).toMatchObject({
    title: "What is two and two?",
    preview: "Four. Always four.",
    messageCount: 2,
  });
  expect(opened.messages.map(({ role, parts }) => [role, textOf(parts)])).toEqual([
    ["user", "What is two and two?"],
    ["assistant", "Four. **Always** four."],
  ]);
});

test("opening during an answer shows the text so far, and the stream continues from there", async () => {
  const gate = createGate();
  const { start, send, follow, client } = await startInstance({
    script: async function* () {
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "first " };
      yield { type: "delta", key: "t", text: "second " };
      await gate.passed;
      yield { type: "delta", key: "t", text: "third" };
      yield { type: "finish", reason: "stop", usage: null };
    },
  });
  const threadId = await start();
  const early = follow(threadId);
  await send(threadId, "count");
  await early.until(({ messages }) => textOf(messages[1]?.parts ?? []) === "first second ");
  const opened = await client.getThread({ params: { threadId } });
  expect(textOf(opened.messages[1]?.parts ?? [])).toBe("first second ");
  expect(opened.run?.state).toBe("running");
  const late = follow(threadId, opened.seq);
  gate.open();
  await late.ended();
  expect(late.rows.every(({ seq }) => seq > opened.seq)).toBe(true);
  const whole = await client.getThread({ params: { threadId } });
  expect(textOf(whole.messages[1]?.parts ?? [])).toBe("first second third");
  expect(whole.run?.usage.estimated).toBe(true);
});

test("sends the active path to the model and records it in the receipt", async () => {
  const requests: unknown[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      requests.push({ ...request, messages: withoutContextUpdates(request.messages) });
      return say(`answer ${requests.length}`);
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "one");
  await live.ended(1);
  await send(threadId, "two");
  const { id: runId } = await live.ended(2);
  expect(requests[1]).toMatchObject({
    messages: [
      { role: "user", text: "one" },
      { role: "assistant", parts: [{ kind: "text", text: "answer 1" }] },
      { role: "user", text: "two" },
    ],
  });
  const { calls } = await client.getRun({ params: { threadId, runId } });
  expect(calls).toMatchObject([
    { purpose: "answer", outcome: "ok", usage: { inputTokens: 10, outputTokens: 5 }, costUsd: 0 },
  ]);
  const { receipt } = await client.getReceipt({ params: { threadId, receiptId: calls[0]?.receiptId ?? "" } });
  expect(receipt).toMatchObject({
    policy: "stone",
    leftOut: [],
    cache: { broke: null },
  });
  const sent = (receipt as Receipt).items.filter(({ kind }) => kind === "message");
  expect(sent.map(({ depth, slot }) => [depth, slot])).toEqual([
    [1, "log"],
    [2, "log"],
    [3, "now"],
  ]);
});

test("the same id with the same content is admitted once; with other content it is a conflict", async () => {
  const { start, follow, client } = await startInstance({ script: () => say("ok") });
  const threadId = await start();
  const live = follow(threadId);
  const id = mintId();
  const post = (text: string) => client.sendMessage({ params: { threadId }, body: { id, text } });
  const [first, second] = await Promise.all([post("once"), post("once")]);
  expect(second).toEqual(first);
  await live.ended();
  expect(await post("once")).toEqual(first);
  await expect(post("twice")).rejects.toMatchObject({ status: 409, code: "conflict" });
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages.filter((message) => message.id === id)).toHaveLength(1);
  expect(messages).toHaveLength(2);
});

test("creating the same thread twice returns it; with other settings it is a conflict", async () => {
  const { client } = await startInstance();
  const id = mintId();
  const first = await client.createThread({ body: { id, title: "Mine" } });
  expect(await client.createThread({ body: { id, title: "Mine" } })).toEqual(first);
  await expect(client.createThread({ body: { id, title: "Other" } })).rejects.toMatchObject({ status: 409 });
});
