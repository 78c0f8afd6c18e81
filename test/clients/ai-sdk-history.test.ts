import type { UIMessage } from "ai";
import { expect, test } from "vitest";
import { writeThread } from "../support/context/long-thread.ts";
import { createGate, mintId, say, startInstance, withoutContextUpdates, type Instance } from "../support/instance.ts";
import { openChat, postChat, readMessage, receive, textsOf, toChunks, userMessage } from "../support/clients/ai-sdk.ts";

const model = "scripted/script";

/** An instance that answers with the texts of the user messages in its prompt. */
const startEcho = async () => {
  const prompts: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      const texts = withoutContextUpdates(request.messages).flatMap((one) => (one.role === "user" ? [one.text] : []));
      prompts.push(texts.join(" | "));
      return say(`${prompts.length}: ${texts.at(-1)?.split("\n")[0]}`);
    },
  });
  return { ...instance, prompts };
};

const post = async ({ url }: Pick<Instance, "url">, body: object): Promise<UIMessage> => {
  const { text } = await receive(await postChat(url, { model, ...body }));
  return readMessage(await toChunks(text));
};
const textsIn = async ({ client }: Pick<Instance, "client">, chatId: string): Promise<string[]> =>
  (await client.getChat({ params: { chatId } })).messages.flatMap(({ parts }) => textsOf({ parts: parts as never }));

test("an edit and a regeneration of useChat add a branch, and the earlier ones stay", async () => {
  const instance = await startEcho();
  const chat = openChat(instance.url, "edits", { transportOptions: { body: { model } } });
  await chat.sendMessage({ text: "one" });
  await chat.sendMessage({ text: "two" });
  await chat.sendMessage({ text: "changed", messageId: chat.messages[2]!.id });
  expect(instance.prompts.at(-1)).toBe("one | changed");
  await chat.regenerate();
  expect(instance.prompts.at(-1)).toBe("one | changed");
  await chat.regenerate({ messageId: chat.messages[1]!.id });
  expect(instance.prompts.at(-1)).toBe("one");
  const texts = ["one", "5: one"];
  expect(chat.messages.flatMap(textsOf)).toEqual(texts);
  expect(await textsIn(instance, "edits")).toEqual(texts);
  const { threadId } = await instance.client.getChat({ params: { chatId: "edits" } });
  const { messages } = await instance.client.getThread({ params: { threadId } });
  expect(messages[1]?.variants).toHaveLength(2);
  // The edit of the second message is still there, under the first answer.
  const first = messages[1]!.variants[0]!;
  await instance.client.activateMessage({ params: { threadId, messageId: first }, body: { id: mintId() } });
  expect(await textsIn(instance, "edits")).toEqual(["one", "1: one", "changed", "4: changed"]);
  // The client's list decides where the next message belongs, not the branch that is active now.
  await chat.sendMessage({ text: "after" });
  expect(await textsIn(instance, "edits")).toEqual(["one", "5: one", "after", "6: after"]);
});

test("a client that sends only its last message edits and regenerates too", async () => {
  const instance = await startEcho();
  const chat = openChat(instance.url, "last", {
    transportOptions: {
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
        body: { id, message: messages.at(-1), trigger, messageId, model },
      }),
    },
  });
  await chat.sendMessage({ text: "one" });
  await chat.sendMessage({ text: "two" });
  await chat.sendMessage({ text: "three", messageId: chat.messages[2]!.id });
  await chat.regenerate();
  expect(chat.messages.flatMap(textsOf)).toEqual(["one", "1: one", "three", "4: three"]);
  expect(await textsIn(instance, "last")).toEqual(["one", "1: one", "three", "4: three"]);
});

test("the longest matching prefix decides: where the client's list disagrees, its new message is a branch", async () => {
  const instance = await startEcho();
  const [u1, u2] = [userMessage("u1", "one"), userMessage("u2", "two")];
  const a1 = await post(instance, { id: "c", messages: [u1] });
  const a2 = await post(instance, { id: "c", messages: [u1, a1, u2] });
  // A second tab that does not know the second turn.
  await post(instance, { id: "c", messages: [u1, a1, userMessage("t2", "tab")] });
  expect(instance.prompts.at(-1)).toBe("one | tab");
  // A client that knows both, on the branch that is not active.
  await post(instance, { id: "c", messages: [u1, a1, u2, a2, userMessage("u3", "three")] });
  expect(instance.prompts.at(-1)).toBe("one | two | three");
  // The client's change of an answer is ignored.
  const forged = { ...a1, parts: [{ type: "text" as const, text: "forged" }] };
  await post(instance, { id: "c", messages: [u1, forged, userMessage("u4", "four")] });
  expect(instance.prompts.at(-1)).toBe("one | four");
  expect(await textsIn(instance, "c")).toEqual(["one", "1: one", "four", "5: four"]);
  // A message that was changed without being sent: the branch starts there, and the model sees the client's messages.
  await post(instance, { id: "c", messages: [userMessage("u1", "uno"), a1, userMessage("u5", "five")] });
  expect(instance.prompts.at(-1)).toMatch(/^five\n\nEarlier messages[^|]*User: uno\n\nAssistant: 1: one$/);
  const { threadId } = await instance.client.getChat({ params: { chatId: "c" } });
  const { messages } = await instance.client.getThread({ params: { threadId } });
  expect(messages[0]?.variants).toHaveLength(2);
});

test("messages that the server never had: a greeting is ignored, an imported history reaches the model once", async () => {
  const instance = await startEcho();
  const greeting: UIMessage = { id: "g", role: "assistant", parts: [{ type: "text", text: "How can I help?" }] };
  const system: UIMessage = { id: "s", role: "system", parts: [{ type: "text", text: "Be brief." }] };
  const [u1, u2] = [userMessage("u1", "one"), userMessage("u2", "two")];
  const a1 = await post(instance, { id: "greeted", messages: [system, greeting, u1] });
  await post(instance, { id: "greeted", messages: [system, greeting, u1, a1, u2] });
  expect(instance.prompts).toEqual(["one", "one | two"]);
  const old: UIMessage = { id: "old", role: "assistant", parts: [{ type: "text", text: "I am old." }] };
  const a3 = await post(instance, { id: "imported", messages: [userMessage("o1", "long ago"), old, u1] });
  expect(instance.prompts.at(-1)).toContain("User: long ago\n\nAssistant: I am old.");
  await post(instance, { id: "imported", messages: [userMessage("o1", "long ago"), old, u1, a3, u2] });
  expect(instance.prompts.at(-1)).toMatch(/Assistant: I am old\. \| two$/);
});

test("a turn of a chat with 2,000 messages reads them in pages, not one by one", async () => {
  const reads = new Map<string, number>();
  let isCounting = false;
  const instance = await startInstance({
    script: () => say("done"),
    wrapStore: (store) => ({
      ...store,
      read: new Proxy(store.read, {
        get: (read, name: keyof typeof store.read) => {
          if (isCounting) reads.set(name, (reads.get(name) ?? 0) + 1);
          return read[name];
        },
      }),
    }),
  });
  const threadId = await instance.start();
  await writeThread(instance.server.store, threadId, 2_000, (depth) => `Message ${depth}.`);
  const counted = { do: "update", table: "threads", set: { message_count: 2_000 }, where: { id: threadId } } as const;
  await instance.server.store.commit([{ events: [], writes: [counted] }]);
  const { branch } = (await instance.server.store.read.thread(threadId))!;
  const rows = await instance.server.store.read.pathEnd(
    threadId,
    await instance.server.store.read.segments({ thread: threadId, branch, upTo: 2_000 }, 2_000),
    2_000,
  );
  const list = rows.map(({ id, role, depth }): UIMessage => ({
    ...{ id, role },
    parts: [{ type: "text", text: `Message ${depth}.` }],
  }));
  const countOf = async (messages: readonly UIMessage[]): Promise<number> => {
    reads.clear();
    isCounting = true;
    await post(instance, { id: threadId, messages });
    isCounting = false;
    return [...reads.values()].reduce((sum, count) => sum + count, 0);
  };
  const short = await countOf([...list.slice(-2), userMessage("n1", "short list")]);
  const { messages } = await instance.client.getThread({ params: { threadId }, query: { limit: 2 } });
  expect(messages[1]?.depth).toBe(2_002);
  const added = messages.map(({ id, role }): UIMessage => ({
    id,
    role,
    parts: [{ type: "text", text: "short list" }],
  }));
  const long = await countOf([...list, ...added, userMessage("n2", "long list")]);
  // One read for each message would be 2,000. Work in the background reads too.
  expect(long - short).toBeLessThan(200);
  const view = await instance.client.getThread({ params: { threadId }, query: { limit: 2 } });
  expect(view.messages[1]?.depth).toBe(2_004);
  // A change far back is found too.
  const changed = list.with(10, { ...list[10]!, parts: [{ type: "text", text: "changed" }] });
  await post(instance, { id: threadId, messages: [...changed, userMessage("n3", "third list")] });
  const forked = await instance.client.getThread({ params: { threadId }, query: { limit: 2 } });
  expect(forked.messages[0]?.depth).toBe(11);
});

test("a message sent while an answer is being written waits for it, and both are answered", async () => {
  const gate = createGate();
  let calls = 0;
  const instance = await startInstance({
    script: async function* () {
      if (++calls === 1) await gate.passed;
      yield* say(`answer ${calls}`);
    },
  });
  const [u1, u2] = [userMessage("u1", "one"), userMessage("u2", "two")];
  const first = post(instance, { id: "q", messages: [u1] });
  await expect.poll(() => calls).toBe(1);
  const second = post(instance, { id: "q", messages: [u1, u2] });
  gate.open();
  expect(textsOf(await first)).toEqual(["answer 1"]);
  expect(textsOf(await second)).toEqual(["answer 2"]);
});

test("a chat id names the same thread for its user, and an own thread can be used by its id", async () => {
  const instance = await startEcho();
  const threadId = await instance.start({ model });
  await instance.send(threadId, "from the page");
  await instance.follow(threadId).ended();
  const chat = openChat(instance.url, threadId);
  await chat.sendMessage({ text: "from useChat" });
  expect(instance.prompts.at(-1)).toBe("from the page | from useChat");
  expect((await instance.client.getChat({ params: { chatId: threadId } })).threadId).toBe(threadId);
  const threads = (await instance.client.listThreads({})).threads.length;
  await openChat(instance.url, "any id: ☕ / ?#").sendMessage({ text: "hello" });
  await openChat(instance.url, "any id: ☕ / ?#").sendMessage({ text: "again" });
  expect((await instance.client.listThreads({})).threads).toHaveLength(threads + 1);
  expect(await textsIn(instance, "any id: ☕ / ?#")).toHaveLength(4);
});
