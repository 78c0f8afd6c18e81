import OpenAI, { BadRequestError, NotFoundError } from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../protocol/model.ts";
import { call, say, startInstance, type Instance } from "../support/instance.ts";

/** Items of conversations keep their ids, and can be read and deleted one by one. Threads are kept when a request asks for it. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const readPrompt = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "user") return [`user: ${message.text}`];
    if (message.role === "tool") return message.results.map(({ text }) => `result: ${text}`);
    return message.parts.map((part) => (part.kind === "tool-call" ? `call: ${part.callId}` : `answer: ${part.text}`));
  });

const start = async () => {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    script: (request) => {
      requests.push(request);
      const last = request.messages.at(-1);
      if (last?.role === "user" && last.text === "look") return call({ name: "look", input: "{}", id: "call_x" });
      return say(`Answer ${requests.length}.`);
    },
  });
  return { instance, openai: connect(instance), prompt: () => readPrompt(requests.at(-1)?.messages ?? []) };
};

const user = (content: string) => ({ type: "message" as const, role: "user" as const, content });
const answer = (content: string) => ({ type: "message" as const, role: "assistant" as const, content });
const called = (call_id: string) => ({ type: "function_call" as const, call_id, name: "look", arguments: "{}" });
const output = (call_id: string) => ({ type: "function_call_output" as const, call_id, output: `seen ${call_id}` });

const listItems = async ({ conversations }: OpenAI, conversation: string) =>
  (await conversations.items.list(conversation, { order: "asc", limit: 100 })).data;
const idsOf = async (openai: OpenAI, conversation: string) =>
  (await listItems(openai, conversation)).map(({ id }) => id ?? "");

describe("items that no response has used", () => {
  const given: ResponseInputItem[] = [
    ...[user("one"), answer("yes"), called("a"), called("b"), output("a"), output("b"), answer("seen")],
    ...[user("two")],
  ];

  test("have ids that no other conversation has and that a response does not change", async () => {
    const { openai, prompt } = await start();
    const { id: conversation } = await openai.conversations.create({ items: given });
    const { id: other } = await openai.conversations.create({ items: given });
    const added = await openai.conversations.items.create(conversation, { items: [answer("right"), user("three")] });
    await openai.conversations.items.create(conversation, { items: [answer("a"), answer("b")] });
    const before = await listItems(openai, conversation);
    const ids = before.map(({ id }) => id ?? "");
    expect(new Set([...ids, ...(await idsOf(openai, other))]).size).toBe(ids.length + 8);
    expect(added.data.map(({ id }) => id)).toEqual(ids.slice(8, 10));
    await openai.responses.create({ model, conversation, input: "go" });
    expect((await listItems(openai, conversation)).slice(0, ids.length)).toEqual(before);
    expect(prompt().at(-1)).toBe("user: go");
    for (const [at, id] of ids.entries())
      expect(await openai.conversations.items.retrieve(id, { conversation_id: conversation })).toEqual(before[at]);
  });

  test("keep them when they are answered without further input", async () => {
    const { openai } = await start();
    for (const items of [
      [user("one"), user("two")],
      [user("one"), called("a"), output("a")],
    ]) {
      const { id: conversation } = await openai.conversations.create({ items });
      const before = await listItems(openai, conversation);
      await openai.responses.create({ model, conversation });
      expect((await listItems(openai, conversation)).slice(0, before.length)).toEqual(before);
    }
  });

  test("can be named in other requests", async () => {
    const { openai, prompt } = await start();
    const { id: conversation } = await openai.conversations.create({ items: given });
    const input = (await idsOf(openai, conversation)).map((id) => ({ type: "item_reference" as const, id }));
    await openai.responses.create({ model, input });
    const results = ["result: seen a", "result: seen b"];
    const first = ["user: one", "answer: yes", "call: a", "call: b"];
    expect(prompt()).toEqual([...first, ...results, "answer: seen", "user: two"]);
  });

  test("can be deleted from the end, a result with its call", async () => {
    const { openai, prompt } = await start();
    const { id: conversation } = await openai.conversations.create({ items: given });
    const remove = async (at: number) => {
      const id = (await idsOf(openai, conversation)).at(at) ?? "";
      return openai.conversations.items.delete(id, { conversation_id: conversation });
    };
    await expect(remove(1)).rejects.toThrow("Delete the items after it first.");
    expect(await remove(-1)).toMatchObject({ id: conversation, object: "conversation" });
    await remove(-1);
    await remove(-1);
    const names = (await listItems(openai, conversation)).map(({ type }) => type);
    expect(names).toEqual(["message", "message", "function_call", "function_call_output"]);
    await remove(-1);
    await openai.responses.create({ model, conversation, input: "go" });
    expect(prompt()).toEqual(["user: one", "answer: yes", "user: go"]);
  });
});

describe("items of a conversation", () => {
  test("are 404 in another conversation", async () => {
    const { openai } = await start();
    const { id: conversation } = await openai.conversations.create({ items: [user("one")] });
    const { id: other } = await openai.conversations.create({ items: [user("one")] });
    const [id = ""] = await idsOf(openai, conversation);
    for (const place of [other, "conv_none"]) {
      const found = openai.conversations.items.retrieve(id, { conversation_id: place });
      await expect(found).rejects.toThrow(NotFoundError);
      await expect(openai.conversations.items.delete(id, { conversation_id: place })).rejects.toThrow(NotFoundError);
    }
  });

  test("are deleted from the end by going back before the last message, which stays as a branch", async () => {
    const { openai, prompt, instance } = await start();
    const { id: conversation } = await openai.conversations.create({});
    for (const input of ["one", "two"]) await openai.responses.create({ model, conversation, input });
    const pop = async (at = -1) => {
      const id = (await idsOf(openai, conversation)).at(at) ?? "";
      await openai.conversations.items.delete(id, { conversation_id: conversation });
    };
    await expect(pop(0)).rejects.toThrow(BadRequestError);
    await pop();
    expect(await idsOf(openai, conversation)).toHaveLength(3);
    await pop();
    await openai.responses.create({ model, conversation, input: "three" });
    expect(prompt()).toEqual(["user: one", "answer: Answer 1.", "user: three"]);
    const [thread] = (await instance.client.listThreads({ query: {} })).threads;
    const { messages } = await instance.client.getThread({ params: { threadId: thread!.id } });
    expect(messages.map(({ variants }) => variants.length)).toEqual([1, 1, 2, 1]);
    for (let left = 4; left > 0; left -= 1) await pop();
    expect(await idsOf(openai, conversation)).toEqual([]);
    await openai.responses.create({ model, conversation, input: "four" });
    expect(prompt()).toEqual(["user: four"]);
  });

  test("are not deleted while an answer waits for results", async () => {
    const { openai } = await start();
    const { id: conversation } = await openai.conversations.create({});
    const tools = [{ type: "function" as const, name: "look", parameters: { type: "object" }, strict: false }];
    await openai.responses.create({ model, conversation, input: "look", tools });
    const ids = await idsOf(openai, conversation);
    const removed = openai.conversations.items.delete(ids.at(-1) ?? "", { conversation_id: conversation });
    await expect(removed).rejects.toMatchObject({ status: 409 });
  });
});

describe("a thread that began as temporary", () => {
  const list = async ({ client }: Instance) => (await client.listThreads({ query: {} })).threads;

  test("is kept when a later response of it is stored, and says so", async () => {
    const { openai, instance } = await start();
    const first = await openai.responses.create({ model, input: "one" });
    expect(first).toMatchObject({ store: false });
    expect(await list(instance)).toEqual([]);
    const more = { model, input: "two", store: true, previous_response_id: first.id };
    const second = await openai.responses.create(more);
    expect(second).toMatchObject({ store: true });
    expect(await openai.responses.retrieve(second.id)).toMatchObject({ store: true });
    expect(await list(instance)).toMatchObject([{ messageCount: 4, temporary: false }]);
    const { id: conversation } = await openai.conversations.create({});
    expect(await openai.responses.create({ model, input: "x", conversation })).toMatchObject({ store: true });
    expect(await openai.responses.create({ model, input: "y", conversation, store: false })).toMatchObject({
      store: false,
    });
  });

  test("is kept when a later chat completion or a result of a tool is stored", async () => {
    const { openai, instance } = await start();
    const one = { role: "user" as const, content: "one" };
    const first = await openai.chat.completions.create({ model, messages: [one] });
    const messages = [one, first.choices[0]!.message, { role: "user" as const, content: "two" }];
    await openai.chat.completions.create({ model, messages, store: true });
    expect(await list(instance)).toHaveLength(1);
    const tools = [{ type: "function" as const, name: "look", parameters: { type: "object" }, strict: false }];
    const asked = await openai.responses.create({ model, tools, input: "look" });
    const input = [output("call_x")];
    const last = await openai.responses.create({ model, tools, input, previous_response_id: asked.id, store: true });
    expect(last).toMatchObject({ store: true });
    expect(await list(instance)).toHaveLength(2);
    const { hits } = await instance.client.search({ query: { q: "Answer 4" } });
    expect(hits).not.toEqual([]);
  });
});
