import type { UIMessage } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ModelEvent } from "../../protocol/model.ts";
import { defineTool, type Tool } from "../../server/tools/tool.ts";
import { call, createGate, mintId, say, startInstance, type Instance } from "../support/instance.ts";
import {
  approvalsOf,
  openChat,
  postChat,
  readMessage,
  receive,
  resumeChat,
  textsOf,
  toChunks,
  toPlain,
  userMessage,
} from "../support/clients/ai-sdk.ts";
import { lookTool } from "../support/clients/look-tool.ts";

const model = "scripted/script";
const usage = {
  ...{ inputTokens: 10, outputTokens: 5, reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  estimated: false,
};

const tool = (given: Partial<Tool> & Pick<Tool, "name">): Tool =>
  defineTool({
    description: "for a test",
    input: z.object({ q: z.string() }),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 5000 },
    describe: (input) => `${given.name} ${(input as { q: string }).q}`,
    execute: async () => ({ output: { made: true } }),
    ...given,
  } as Tool);
const remove = tool({ name: "remove", repeat: "keyed", effects: ["write", "destructive"] });
const broken = tool({ name: "broken", execute: () => Promise.reject(new Error("It broke.")) });

const think: ModelEvent[] = [
  { type: "start", key: "r", kind: "reasoning" },
  { type: "delta", key: "r", text: "Let me think. " },
  { type: "delta", key: "r", text: "Done." },
  { type: "end", key: "r" },
];
const image: ModelEvent = { type: "file", mediaType: "image/png", content: "iVBORw0KGgo=" } as never;

/** Calls three tools in two steps, with reasoning, a file and sources, then answers. */
const startRich = () =>
  startInstance({
    tools: [lookTool, broken, remove],
    script: (request) => {
      const steps = request.messages.filter(({ role }) => role === "assistant").length;
      if (steps === 0) return [...think, ...call({ name: "look", input: `{"q":"a"}` }, { name: "look", input: "{" })];
      if (steps === 1) return [...call({ name: "broken", input: `{"q":"b"}` })];
      return [image, ...say("The answer is “ja” 😀.\nA second line.")];
    },
  });

const post = async (instance: Pick<Instance, "url">, body: object) => {
  const received = await receive(await postChat(instance.url, body));
  return { ...received, chunks: await toChunks(received.text) };
};

test("an answer with reasoning, tools, a file and sources is a UI message stream that the package accepts", async () => {
  const instance = await startRich();
  const body = { id: "chat 1/ä", messages: [userMessage("u1", "hello")], model };
  const { status, headers, text, chunks } = await post(instance, body);
  expect(status).toBe(200);
  expect(headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
  expect(headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  const message = await readMessage(chunks);
  expect(message.parts).toEqual([
    { type: "step-start" },
    expect.objectContaining({ type: "reasoning", text: "Let me think. Done.", state: "done" }),
    expect.objectContaining({
      type: "tool-look",
      state: "output-available",
      input: { q: "a" },
      output: { seen: "a" },
      title: "look a",
      providerExecuted: true,
    }),
    expect.objectContaining({ type: "tool-look", state: "output-error", input: "{" }),
    { type: "step-start" },
    expect.objectContaining({
      type: "tool-broken",
      state: "output-error",
      errorText: expect.stringContaining("broke"),
    }),
    { type: "step-start" },
    { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" },
    { type: "text", text: "The answer is “ja” 😀.\nA second line.", state: "done" },
    expect.objectContaining({ type: "source-url", url: "https://example.com/a", title: "A page" }),
  ]);
  expect(message.metadata).toMatchObject({ outcome: "done", model, usage: { outputTokens: usage.outputTokens * 3 } });
  const history = await instance.client.getChat({ params: { chatId: "chat 1/ä" } });
  expect(history.messages.at(-1)).toEqual(toPlain(message));
  expect(history.messages[0]).toMatchObject({ role: "user", parts: [{ type: "text", text: "hello" }] });
});

test("useChat's own class sends, continues and gets the same chat after a reload, with the list or the last message", async () => {
  const prompts: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request.messages));
      return say(`answer ${prompts.length}`);
    },
  });
  for (const isLastOnly of [false, true]) {
    prompts.length = 0;
    const chatId = mintId("chat");
    const lastOnly = {
      prepareSendMessagesRequest: ({ id, messages }: { id: string; messages: UIMessage[] }) => ({
        body: { id, message: messages.at(-1), model },
      }),
    };
    const transportOptions = isLastOnly ? lastOnly : { body: { model } };
    const chat = openChat(instance.url, chatId, { transportOptions });
    await chat.sendMessage({ text: "first" });
    await chat.sendMessage({ text: "second" });
    expect(chat.status).toBe("ready");
    expect(chat.messages.map(({ role, parts }) => `${role}: ${textsOf({ parts }).join("")}`)).toEqual([
      "user: first",
      "assistant: answer 1",
      "user: second",
      "assistant: answer 2",
    ]);
    expect(prompts[1]).toContain("first");
    expect(prompts[1]).toContain("answer 1");
    const history = await instance.client.getChat({ params: { chatId } });
    const reloaded = openChat(instance.url, chatId, { transportOptions, messages: history.messages as UIMessage[] });
    await reloaded.sendMessage({ text: "third" });
    const after = await instance.client.getChat({ params: { chatId } });
    expect(after.messages).toHaveLength(6);
    expect(after.messages.flatMap(({ parts }) => textsOf({ parts: parts as never }))).toEqual([
      ...["first", "answer 1", "second", "answer 2", "third", "answer 3"],
    ]);
  }
});

test("the same request twice gets the same answer, and the model is called once", async () => {
  let calls = 0;
  const gate = createGate();
  const instance = await startInstance({
    script: async function* () {
      calls += 1;
      await gate.passed;
      yield* say("once");
    },
  });
  const body = { id: "twice", messages: [userMessage("u1", "hello")], model };
  const both = [post(instance, body), post(instance, body)];
  await expect.poll(() => calls).toBe(1);
  gate.open();
  const [first, second] = await Promise.all(both);
  const later = await post(instance, body);
  const message = await readMessage(first!.chunks);
  expect(textsOf(message)).toEqual(["once"]);
  expect(await readMessage(second!.chunks)).toEqual(message);
  expect(await readMessage(later.chunks)).toEqual(message);
  expect(calls).toBe(1);
});

test("an approval is requested, and the response of the client continues the same message", async () => {
  for (const approved of [true, false]) {
    const done: string[] = [];
    const instance = await startInstance({
      tools: [tool({ ...remove, execute: async () => ({ output: { removed: done.push("x") } }) }), lookTool],
      script: (request) =>
        request.messages.some(({ role }) => role === "tool")
          ? say("finished")
          : [
              ...say("I will remove it.").slice(0, 3),
              ...call({ name: "look", input: `{"q":"a"}` }, { name: "remove", input: `{"q":"x"}` }),
            ],
    });
    const chat = openChat(instance.url, "approve", { transportOptions: { body: { model } } });
    await chat.sendMessage({ text: "go" });
    const [id] = approvalsOf(chat);
    expect(chat.status).toBe("ready");
    expect(done).toEqual([]);
    await chat.addToolApprovalResponse({ id: id!, approved, ...(approved ? {} : { reason: "not that" }) });
    await expect.poll(() => textsOf(chat.messages.at(-1)!)).toEqual(["I will remove it.", "finished"]);
    await expect.poll(() => chat.status).toBe("ready");
    const message = chat.messages.at(-1)!;
    expect(chat.messages).toHaveLength(2);
    expect(message.parts.find(({ type }) => type === "tool-remove")).toMatchObject(
      approved
        ? { state: "output-available", output: { removed: 1 } }
        : { state: "output-denied", approval: { approved: false, reason: "not that" } },
    );
    expect(done).toHaveLength(approved ? 1 : 0);
    const history = await instance.client.getChat({ params: { chatId: "approve" } });
    expect(history.messages.at(-1)?.parts).toEqual(toPlain(message.parts));
    const replayed = await readMessage(await toChunks((await receive(await resumeChat(instance.url, "approve"))).text));
    expect(replayed.parts).toEqual(toPlain(message.parts));
  }
});

test("a decision that was made on the page wins over a later one of the client", async () => {
  const done: string[] = [];
  const instance = await startInstance({
    tools: [tool({ ...remove, execute: async () => ({ output: { removed: done.push("x") } }) })],
    script: (request) =>
      request.messages.some(({ role }) => role === "tool") ? say("ok") : call({ name: "remove", input: `{"q":"x"}` }),
  });
  const chat = openChat(instance.url, "wins", { transportOptions: { body: { model } } });
  await chat.sendMessage({ text: "go" });
  const [partId] = approvalsOf(chat);
  const { threadId } = await instance.client.getChat({ params: { chatId: "wins" } });
  const live = instance.follow(threadId);
  const body = { id: mintId(), partId: partId!, decision: "once" } as const;
  await instance.client.decideCall({ params: { threadId }, body });
  await live.until(({ run }) => run?.state === "ended");
  await chat.addToolApprovalResponse({ id: partId!, approved: false });
  await expect.poll(() => textsOf(chat.messages.at(-1)!)).toEqual(["ok"]);
  await expect.poll(() => chat.status).toBe("ready");
  expect(done).toEqual(["x"]);
  const history = await instance.client.getChat({ params: { chatId: "wins" } });
  expect(history.messages.at(-1)?.parts).toEqual(toPlain(chat.messages.at(-1)!.parts));
});

test("a call approved on the page while another still runs continues on the open stream", async () => {
  const gate = createGate();
  const instance = await startInstance({
    tools: [remove, tool({ name: "slow", execute: async () => gate.passed.then(() => ({ output: "late" })) })],
    script: (request) =>
      request.messages.some(({ role }) => role === "tool")
        ? say("both done")
        : call({ name: "remove", input: `{"q":"x"}` }, { name: "slow", input: `{"q":"y"}` }),
  });
  const posted = post(instance, { id: "open", messages: [userMessage("u", "go")], model });
  const asking = async () => {
    const { messages } = await instance.client.getChat({ params: { chatId: "open" } });
    return messages.at(-1)?.parts.find(({ state }) => state === "approval-requested")?.["toolCallId"];
  };
  await expect.poll(asking).toBeTruthy();
  const { threadId } = await instance.client.getChat({ params: { chatId: "open" } });
  const body = { id: mintId(), partId: String(await asking()), decision: "once" } as const;
  await instance.client.decideCall({ params: { threadId }, body });
  gate.open();
  const message = await readMessage((await posted).chunks);
  expect(textsOf(message)).toEqual(["both done"]);
  const history = await instance.client.getChat({ params: { chatId: "open" } });
  expect(history.messages.at(-1)).toEqual(message);
});
