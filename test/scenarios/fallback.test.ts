import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import { mintId, say, startInstance } from "../support/instance.ts";

const refused: ModelEvent = {
  type: "failed",
  failure: { code: "bad-request", fault: "request", text: "This model refuses the request." },
};
const cutShort: ModelEvent[] = [
  { type: "start", key: "t", kind: "text" },
  { type: "delta", key: "t", text: "half an ans" },
  { type: "failed", failure: { code: "cut", fault: "provider", text: "The answer broke off." } },
];

test("before the first token the next model is called, and the thread shows which one answered and why", async () => {
  let asked = 0;
  const { start, send, follow, client } = await startInstance({
    env: { STONECHAT_FALLBACKS: "scripted/backup" },
    script: () => (asked++ === 0 ? [refused] : say("from the second")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "hello", { model: "scripted/script" });
  const run = await live.ended();
  const { calls } = await client.getRun({ params: { threadId, runId: run.id } });
  expect(calls.map(({ model, outcome, attempt }) => [model, outcome, attempt])).toEqual([
    ["scripted/script", "failed", 1],
    ["scripted/backup", "ok", 2],
  ]);
  expect(run).toMatchObject({ outcome: "done", model: "scripted/backup" });
  const notices = live.view().messages[1]?.parts.filter((part) => part.kind === "notice");
  expect(notices).toMatchObject([{ text: "This model refuses the request. Trying Scripted backup instead." }]);
});

test("an interrupted attempt is marked as superseded, its cost is counted, and the step is retried", async () => {
  const prompts: string[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request.messages));
      return prompts.length === 1 ? cutShort : say("a whole answer");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "hello");
  const run = await live.ended();
  expect(run.outcome).toBe("done");
  const parts = live.view().messages[1]?.parts ?? [];
  expect(parts.filter((part) => part.kind === "text")).toMatchObject([
    { text: "half an ans", aside: "The answer broke off.", state: "cut" },
    { text: "a whole answer", state: "done" },
  ]);
  expect(textOf(parts)).toBe("a whole answer");
  expect(prompts[1]).toBe(prompts[0]);
  const { calls } = await client.getRun({ params: { threadId, runId: run.id } });
  expect(calls).toMatchObject([
    { outcome: "failed", reason: { code: "cut" }, usage: { estimated: true, outputTokens: expect.any(Number) } },
    { outcome: "ok", usage: { estimated: false } },
  ]);
  expect(run.usage.estimated).toBe(true);
  await send(threadId, "and later?");
  await live.ended(2);
  expect(prompts.at(-1)).not.toContain("half an ans");
});

test("an empty response does not count as an answer", async () => {
  const { start, send, follow } = await startInstance({
    script: (_, index) => (index === 0 ? [{ type: "finish", reason: "stop", usage: null }] : say("here I am")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "hello?");
  expect((await live.ended()).outcome).toBe("done");
  expect(textOf(live.view().messages[1]?.parts ?? [])).toBe("here I am");
});

test("a model without a key says what to set, the message stays, and another model answers it", async () => {
  const { start, send, follow, client } = await startInstance({
    env: { STONECHAT_FALLBACKS: "" },
    script: () => say("ok"),
  });
  const { models } = await client.listModels({});
  const keyless = models.find(({ available }) => !available);
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "keep this", { model: keyless?.id ?? "" });
  const run = await live.ended();
  expect(run).toMatchObject({ outcome: "failed", reason: { text: expect.stringMatching(/_API_KEY/) } });
  expect(live.view().thread?.status).toBe("error");
  const params = { threadId, messageId: run.messageId };
  await client.regenerateMessage({ params, body: { id: mintId(), model: "scripted/script" } });
  expect((await live.ended(2)).outcome).toBe("done");
  expect(live.view().messages.map(({ parts }) => textOf(parts))).toEqual(["keep this", "ok"]);
});

test("an unknown model is rejected, and nothing is stored", async () => {
  const { start, send, client } = await startInstance();
  const threadId = await start();
  await expect(send(threadId, "hello", { model: "nobody/nothing" })).rejects.toMatchObject({
    status: 400,
    code: "invalid",
  });
  const { messages, queue } = await client.getThread({ params: { threadId } });
  expect([...messages, ...queue]).toEqual([]);
});
