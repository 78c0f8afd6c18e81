import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { createGate, mintId, say, startInstance, type Instance } from "../support/instance.ts";

const echo = (instance: { count: number }) => () => say(`answer ${++instance.count}`);

const texts = async ({ client }: Instance, threadId: string): Promise<string[]> =>
  (await client.getThread({ params: { threadId } })).messages.map(({ parts }) => textOf(parts));

test("editing keeps the old variant, and both can be activated again", async () => {
  const instance = await startInstance({ script: echo({ count: 0 }) });
  const { client, start, send, follow } = instance;
  const threadId = await start();
  const live = follow(threadId);
  const first = await send(threadId, "one");
  await live.ended(1);
  await send(threadId, "two");
  await live.ended(2);
  const edited = mintId();
  await client.editMessage({ params: { threadId, messageId: first }, body: { id: edited, text: "uno" } });
  await live.ended(3);
  expect(await texts(instance, threadId)).toEqual(["uno", "answer 3"]);
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages[0]?.variants).toEqual([first, edited]);
  expect(live.view().messages[0]?.variants).toEqual([first, edited]);

  await client.activateMessage({ params: { threadId, messageId: first }, body: { id: mintId() } });
  expect((await live.until(({ stale }) => stale)).messages).toEqual([]);
  expect(await texts(instance, threadId)).toEqual(["one", "answer 1", "two", "answer 2"]);

  await send(threadId, "three");
  await live.ended(4);
  expect(await texts(instance, threadId)).toEqual(["one", "answer 1", "two", "answer 2", "three", "answer 4"]);
  await client.activateMessage({ params: { threadId, messageId: edited }, body: { id: mintId() } });
  expect(await texts(instance, threadId)).toEqual(["uno", "answer 3"]);
});

test("regenerating adds a variant of the answer, and the model does not see the first one", async () => {
  const prompts: string[] = [];
  const instance = await startInstance({
    script: (request, index) => {
      prompts.push(JSON.stringify(request.messages));
      return say(`answer ${index + 1}`);
    },
  });
  const { client, start, send, follow } = instance;
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "question");
  const { messageId } = await live.ended(1);
  for (const count of [2, 3]) {
    await client.regenerateMessage({ params: { threadId, messageId }, body: { id: mintId() } });
    await live.ended(count);
  }
  const { messages } = await client.getThread({ params: { threadId } });
  expect(messages.map(({ parts }) => textOf(parts))).toEqual(["question", "answer 3"]);
  expect(messages[1]?.variants).toHaveLength(3);
  expect(prompts[2]).toBe(prompts[0]);
  await client.activateMessage({ params: { threadId, messageId }, body: { id: mintId() } });
  expect(await texts(instance, threadId)).toEqual(["question", "answer 1"]);
});

test("editing during an answer stops it, keeps its text and answers the edited message", async () => {
  const gate = createGate();
  const instance = await startInstance({
    script: async function* (request, index, signal) {
      if (index > 0) return yield* say("the new answer");
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "the old ans" };
      await Promise.race([gate.passed, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    },
  });
  const { client, start, send, follow } = instance;
  const threadId = await start();
  const live = follow(threadId);
  const first = await send(threadId, "old");
  await live.until(({ messages }) => textOf(messages[1]?.parts ?? []) === "the old ans");
  await client.editMessage({ params: { threadId, messageId: first }, body: { id: mintId(), text: "new" } });
  expect((await live.ended(1)).outcome).toBe("stopped");
  expect((await live.ended(2)).outcome).toBe("done");
  expect(await texts(instance, threadId)).toEqual(["new", "the new answer"]);
  await client.activateMessage({ params: { threadId, messageId: first }, body: { id: mintId() } });
  expect(await texts(instance, threadId)).toEqual(["old", "the old ans"]);
});

test("only user messages can be edited and only answers regenerated; unknown messages return 404", async () => {
  const { client, start, send, follow } = await startInstance({ script: echo({ count: 0 }) });
  const threadId = await start();
  const live = follow(threadId);
  const messageId = await send(threadId, "one");
  const { messageId: answerId } = await live.ended();
  const body = { id: mintId(), text: "x" };
  await expect(client.editMessage({ params: { threadId, messageId: answerId }, body })).rejects.toMatchObject({
    status: 400,
  });
  await expect(
    client.regenerateMessage({ params: { threadId, messageId }, body: { id: mintId() } }),
  ).rejects.toMatchObject({ status: 400 });
  await expect(client.editMessage({ params: { threadId, messageId: "nobody" }, body })).rejects.toMatchObject({
    status: 404,
  });
});
