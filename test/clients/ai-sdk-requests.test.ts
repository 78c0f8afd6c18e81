import type { UIMessage } from "ai";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { textOf } from "../../protocol/fold.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { systemClock } from "../../server/lib/clock.ts";
import fc from "../support/fast-check.ts";
import { toPng } from "../support/attachments/files.ts";
import { call, createGate, say, startInstance, type Instance } from "../support/instance.ts";
import {
  approvalsOf,
  openChat,
  postChat,
  readMessage,
  receive,
  resumeChat,
  textsOf,
  toChunks,
  userMessage,
} from "../support/clients/ai-sdk.ts";

const model = "scripted/script";
const transportOptions = { body: { model } };
const post = async ({ url }: Pick<Instance, "url">, body: object) => {
  const { text } = await receive(await postChat(url, { model, ...body }));
  return toChunks(text);
};

test("closing the connection does not stop the answer; the stop route does, and its stream ends with abort", async () => {
  const instance = await startInstance();
  const script = "say 5 words then hang";
  const chat = openChat(instance.url, "stop", { transportOptions });
  const sending = chat.sendMessage({ text: script });
  await expect
    .poll(
      () =>
        textsOf(chat.messages[1] ?? { parts: [] })
          .join("")
          .split(" ").length,
    )
    .toBe(5);
  await chat.stop();
  await sending;
  expect((await instance.client.getChat({ params: { chatId: "stop" } })).isActive).toBe(true);
  const resumed = resumeChat(instance.url, "stop").then(receive);
  const second = openChat(instance.url, "stop", { transportOptions });
  const resuming = second.resumeStream();
  await expect.poll(() => second.status).toBe("streaming");
  await instance.client.stopChat({ params: { chatId: "stop" } });
  await resuming;
  expect(second.status).toBe("ready");
  const chunks = await toChunks((await resumed).text);
  expect(chunks.map(({ type }) => type).slice(-3)).toEqual(["finish-step", "abort", "finish"]);
  expect(chunks.at(-1)).toMatchObject({ finishReason: "interrupted", messageMetadata: { outcome: "stopped" } });
  expect(await readMessage(chunks)).toEqual(JSON.parse(JSON.stringify(second.messages.at(-1))));
  expect((await instance.client.getChat({ params: { chatId: "stop" } })).isActive).toBe(false);
});

test("a message that is too long for its profile is refused, and a new chat is not created", async () => {
  const { url, client } = await startInstance({ script: () => say("Read.") });
  await client.createProfile({ body: { id: "short", name: "Short", window: { messageCharacters: 200 } } });
  for (const [index, [profile, most]] of (
    [
      ["short", 200],
      ["research", 10_000],
    ] as const
  ).entries()) {
    const body = { id: `chat-of-${profile}`, profile, model };
    const refused = await postChat(url, { ...body, messages: [userMessage("a", "r".repeat(most + 1))] });
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { code: "too-large", message: expect.stringContaining(most.toLocaleString("en")) },
    });
    expect((await client.listThreads({ query: {} })).threads).toHaveLength(index);
    expect((await post({ url }, { ...body, messages: [userMessage("b", "r".repeat(most))] })).at(-1)).toMatchObject({
      type: "finish",
      finishReason: "stop",
    });
    const later = await postChat(url, { ...body, message: userMessage("c", "r".repeat(most + 1)) });
    expect(later.status).toBe(413);
  }
});

test("a stop that follows a message at once stops its answer", async () => {
  const instance = await startInstance();
  let atOnce = 0;
  for (let n = 0; n < 40; n += 1) {
    const id = `at-once-${n}`;
    const posted = postChat(instance.url, { id, messages: [userMessage(`u${n}`, "say 5 words then hang")], model });
    await setTimeout(n / 4);
    const stop = () => instance.client.stopChat({ params: { chatId: id } });
    // A stop that came before the message finds no chat.
    await stop().then(
      () => (atOnce += 1),
      (error: unknown) => {
        expect(error).toMatchObject({ status: 404 });
        return posted.then(stop);
      },
    );
    const { text } = await receive(await posted);
    expect((await toChunks(text)).at(-1)).toMatchObject({ type: "finish", finishReason: "interrupted" });
    expect((await instance.client.getChat({ params: { chatId: id } })).isActive).toBe(false);
  }
  expect(atOnce).toBeGreaterThan(5);
}, 60_000);

test("the stream of a message that is withdrawn before its answer starts ends with abort", async () => {
  const gate = createGate();
  const instance = await startInstance({
    script: async function* (_request, _index, signal) {
      await Promise.race([gate.passed, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      yield* say("first");
    },
  });
  const [u1, u2] = [userMessage("u1", "one"), userMessage("u2", "two")];
  const first = post(instance, { id: "w", messages: [u1] });
  await expect.poll(async () => (await resumeChat(instance.url, "w")).status).toBe(200);
  const second = post(instance, { id: "w", messages: [u1, u2] });
  const { threadId } = await instance.client.getChat({ params: { chatId: "w" } });
  const live = instance.follow(threadId);
  await live.until(({ queue }) => queue.length === 1);
  const [queued] = live.view().queue;
  await instance.client.withdrawInput({ params: { threadId, inputId: queued!.id } });
  expect((await second).map(({ type }) => type)).toEqual(["abort", "finish"]);
  gate.open();
  expect(textsOf(await readMessage(await first))).toEqual(["first"]);
});

test("a message that was withdrawn, once or twice, can be sent again and is answered in its place", async () => {
  const gate = createGate();
  const instance = await startInstance({
    script: async function* ({ messages }, _index, signal) {
      await Promise.race([gate.passed, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      yield* say(`answer ${messages.filter(({ role }) => role === "assistant").length + 1}`);
    },
  });
  const [u1, u2, u3] = [userMessage("u1", "one"), userMessage("u2", "two"), userMessage("u3", "three")];
  const first = post(instance, { id: "again", messages: [u1] });
  await expect.poll(async () => (await resumeChat(instance.url, "again")).status).toBe(200);
  const { threadId } = await instance.client.getChat({ params: { chatId: "again" } });
  const live = instance.follow(threadId);
  for (const _ of ["once", "twice"]) {
    const withdrawn = post(instance, { id: "again", messages: [u1, u2] });
    const { queue } = await live.until((view) => view.queue.length === 1);
    await instance.client.withdrawInput({ params: { threadId, inputId: queue[0]!.id } });
    expect((await withdrawn).map(({ type }) => type)).toEqual(["abort", "finish"]);
    await live.until((view) => view.queue.length === 0);
  }
  const second = post(instance, { id: "again", messages: [u1, u2] });
  const repeated = post(instance, { id: "again", messages: [u1, u2] });
  await live.until(({ queue }) => queue.length === 1);
  gate.open();
  const [a1, a2] = [await readMessage(await first), await readMessage(await second)];
  expect(textsOf(a2)).toEqual(["answer 2"]);
  expect(await readMessage(await repeated)).toEqual(a2);
  await post(instance, { id: "again", messages: [u1, a1, u2, a2, u3] });
  const { messages } = await instance.client.getThread({ params: { threadId } });
  expect(messages.map(({ parts }) => textOf(parts))).toEqual([
    ...["one", "answer 1", "two", "answer 2", "three", "answer 3"],
  ]);
  expect(messages.every(({ variants }) => variants.length === 1)).toBe(true);
});

test("an orderly restart in the middle cuts the stream, and the client resumes on the new server", async () => {
  const first = await startInstance({ env: { STONECHAT_MODEL: model } });
  let { url } = first;
  const chat = openChat(() => url, "restart", { transportOptions });
  const sending = chat.sendMessage({ text: "say 40 words every 40ms" });
  await expect
    .poll(
      () =>
        textsOf(chat.messages[1] ?? { parts: [] })
          .join("")
          .split(" ").length,
    )
    .toBeGreaterThan(3);
  const dataDir = await first.leave();
  await sending;
  // Not a short answer that looks complete.
  expect(chat.status).toBe("error");
  ({ url } = await startInstance({ dataDir, env: { STONECHAT_MODEL: model } }));
  await chat.resumeStream();
  expect(chat.status).toBe("ready");
  const words = Array.from({ length: 40 }, (_, n) => `w${n + 1}`).join(" ");
  expect(textsOf(chat.messages.at(-1)!)).toEqual([words]);
});

test("resuming answers 204 when nothing runs, and replays an answer that has just ended", async () => {
  let now = Date.now();
  const instance = await startInstance({ script: () => say("done"), clock: { ...systemClock, now: () => now } });
  expect((await resumeChat(instance.url, "never")).status).toBe(204);
  const chunks = await post(instance, { id: "r", messages: [userMessage("u", "hello")] });
  const replayed = await receive(await resumeChat(instance.url, "r"));
  expect(await readMessage(await toChunks(replayed.text))).toEqual(await readMessage(chunks));
  now += 61_000;
  const later = await resumeChat(instance.url, "r");
  expect(later.status).toBe(204);
  expect(later.headers.get("cache-control")).toBe("no-store");
});

test("a failed answer is an error chunk with a sentence, and a refused request a status with JSON", async () => {
  const failure = { code: "refused", fault: "request", text: "The model declined to answer this." } as const;
  const instance = await startInstance({ script: () => [...say("Well").slice(0, 2), { type: "failed", failure }] });
  const chat = openChat(instance.url, "fails", { transportOptions });
  await chat.sendMessage({ text: "say something bad" });
  expect(chat.status).toBe("error");
  expect(chat.error?.message).toMatch(/^[A-Z].*\.$/s);
  expect(chat.messages.at(-1)?.metadata).toMatchObject({ outcome: "failed", reason: { text: chat.error?.message } });
  for (const [body, status] of [
    [{ id: "x", messages: [] }, 400],
    [{ messages: [userMessage("u", "hello")] }, 400],
    [{ id: "x", messages: [userMessage("u", "   ")] }, 400],
    [{ id: "x", messages: [userMessage("u", "hello")], model: "nobody/nothing" }, 400],
    [{ id: "x", messages: [userMessage("u", "hello")], profile: "nothing" }, 400],
    [{ id: "x", messages: [userMessage("u", "x".repeat(100_001))] }, 400],
    [{ id: "x", messages: [{ ...userMessage("u", "hi"), role: "robot" }] }, 400],
    [{ id: "x", messages: [{ id: "a", role: "assistant", parts: [] }] }, 404],
    [{ id: "x", trigger: "regenerate-message" }, 404],
    [{ id: "x", messages: [toFileMessage("https://example.com/a.png")] }, 415],
    [{ id: "x", messages: [userMessage("u", "x".repeat(33_000_000))] }, 413],
    [{ id: "x", messages: [userMessage("u", "[".repeat(1_100_000))] }, 413],
  ] as const) {
    const response = await postChat(instance.url, body);
    expect([response.status, JSON.stringify(body).slice(0, 200)]).toEqual([status, JSON.stringify(body).slice(0, 200)]);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/^[A-Z].*\.$|:/) } });
  }
});

test("any request is answered with a stream or a documented error, and the history of the chat stays readable", async () => {
  const instance = await startInstance({ script: () => say("ok") });
  const ids = fc.constantFrom("u1", "u2", "u3", "ui-x", "🦉", "a/b", "");
  const part = fc.oneof(
    { weight: 9, arbitrary: fc.record({ type: fc.constant("text"), text: fc.constantFrom("one", "two", "three") }) },
    fc.record({ type: fc.constant("text"), text: fc.oneof(fc.string({ unit: "binary" }), fc.constant(3)) }),
    fc.record({ type: fc.constant("file"), url: fc.constantFrom("data:", "data:,", "data:;base64,!", "x", 1) }),
    fc.record({ type: fc.constant("tool-look"), toolCallId: ids, state: fc.string(), approval: fc.jsonValue() }),
    fc.record({ type: fc.string() }),
  );
  const role = fc.constantFrom("user", "user", "assistant", "system");
  const message = fc.record({ id: ids, role, parts: fc.array(part, { minLength: 1, maxLength: 3 }) });
  const body = fc.record(
    {
      id: fc.constantFrom("fuzz", "fuzz", "fuzz", "none", ""),
      messages: fc.array(message, { maxLength: 4 }),
      message,
      trigger: fc.constantFrom("submit-message", "submit-message", "regenerate-message", "x"),
      messageId: fc.oneof(ids, fc.constant(null)),
      model: fc.constantFrom(model, model, model, "x"),
    },
    { requiredKeys: ["id"] },
  );
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const response = await postChat(instance.url, given);
      seen.add(response.status);
      const text = await response.text();
      expect(response.status, text).toBeLessThan(500);
      if (response.ok) await toChunks(text);
    }),
    { numRuns: 150 },
  );
  expect([...seen].toSorted()).toEqual(expect.arrayContaining([200, 400, 404]));
  await instance.client.getChat({ params: { chatId: "fuzz" } });
});

const toFileMessage = (url: string, filename?: string): UIMessage => ({
  id: "f",
  role: "user",
  parts: [
    { type: "file", mediaType: "image/png", url, ...(filename === undefined ? {} : { filename }) },
    { type: "text", text: "look at this" },
  ],
});

test("files in data URLs become attachments that the model gets, also when the request is repeated", async () => {
  const images: number[] = [];
  const texts: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      images.push(Object.keys(request.images ?? {}).length);
      texts.push(JSON.stringify(request.messages));
      return say("seen");
    },
  });
  const png = toPng(40, 30).toString("base64");
  const messages = [toFileMessage(`data:image/png;base64,${png}`, "icon.png")];
  const chunks = await post(instance, { id: "files", messages });
  await post(instance, { id: "files", messages });
  expect(images).toEqual([1]);
  const history = await instance.client.getChat({ params: { chatId: "files" } });
  const [file, text] = history.messages[0]!.parts;
  expect(file).toMatchObject({ type: "file", mediaType: "image/png", filename: "icon.png" });
  expect(text).toMatchObject({ text: "look at this" });
  const stored = await fetch(`${instance.url}${String(file!["url"])}`);
  expect(Buffer.from(await stored.arrayBuffer()).toString("base64")).toBe(png);
  // After a reload the file is named by our address; an edit keeps it, and a text file is read.
  const note = `data:text/plain,${encodeURIComponent("The code is 4711.")}`;
  const edited: UIMessage = {
    ...(history.messages[0] as UIMessage),
    parts: [
      { type: "file", mediaType: "image/png", url: String(file!["url"]) },
      { type: "file", mediaType: "text/plain", filename: "note.txt", url: note },
      { type: "text", text: "look again" },
    ],
  };
  await post(instance, { id: "files", messages: [edited], messageId: edited.id });
  expect(images).toEqual([1, 1]);
  expect(texts.at(-1)).toContain("4711");
  expect(textsOf(await readMessage(chunks))).toEqual(["seen"]);
});

test("a question of the model is a tool call that the client answers with addToolOutput", async () => {
  const instance = await startInstance({
    script: (request) => {
      const result = request.messages.find(({ role }) => role === "tool");
      return result
        ? say(`You said ${JSON.stringify(result).includes("blue") ? "blue" : "nothing"}`)
        : call({ name: "ask_user", input: JSON.stringify({ question: "Which colour?", options: ["red", "blue"] }) });
    },
  });
  const asked: string[] = [];
  const chat = openChat(instance.url, "ask", {
    transportOptions,
    onToolCall: ({ toolCall }) => void asked.push(toolCall.toolName),
  });
  await chat.sendMessage({ text: "ask me" });
  expect(asked).toEqual(["ask_user"]);
  const part = chat.messages.at(-1)!.parts.find(({ type }) => type === "tool-ask_user") as { toolCallId: string };
  await chat.addToolOutput({ tool: "ask_user", toolCallId: part.toolCallId, output: { answers: { answer: "blue" } } });
  await expect.poll(() => textsOf(chat.messages.at(-1)!)).toEqual(["You said blue"]);
  await expect.poll(() => chat.status).toBe("ready");
  expect(chat.messages).toHaveLength(2);
});

test("a new message instead of a decision ends the waiting answer and is answered at once", async () => {
  const remove = defineTool({
    name: "remove",
    description: "Removes something, for a test.",
    input: z.object({ q: z.string() }),
    repeat: "keyed",
    effects: ["write", "destructive"],
    limits: { timeoutMs: 5000 },
    describe: () => "remove",
    execute: async () => ({ output: {} }),
  });
  let calls = 0;
  const instance = await startInstance({
    tools: [remove],
    script: () => (calls++ === 0 ? call({ name: "remove", input: `{"q":"x"}` }) : say("another answer")),
  });
  const chat = openChat(instance.url, "instead", { transportOptions });
  await chat.sendMessage({ text: "remove it" });
  const [approval] = approvalsOf(chat);
  await chat.sendMessage({ text: "no, tell me a joke" });
  expect(textsOf(chat.messages.at(-1)!)).toEqual(["another answer"]);
  // A late decision about the ended answer changes nothing.
  const stale = { ...chat.messages[1]! };
  const parts = stale.parts.map((part) =>
    "approval" in part ? { ...part, state: "approval-responded", approval: { id: approval, approved: true } } : part,
  );
  const late = await postChat(instance.url, { id: "instead", messages: [chat.messages[0], { ...stale, parts }] });
  expect(late.status).toBe(409);
});
