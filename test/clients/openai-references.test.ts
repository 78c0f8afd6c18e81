import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import OpenAI, { NotFoundError } from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../protocol/model.ts";
import { accountsOn, join, setUp } from "../support/accounts/accounts-instance.ts";
import { call, say, startInstance, type Instance } from "../support/instance.ts";

// Covers requests whose items refer to stored items, and the items of conversations.

const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">, apiKey = "none"): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

const readPrompt = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "user") return [`user: ${message.text}`];
    if (message.role === "tool") return message.results.map(({ text }) => `result: ${text}`);
    return message.parts.map((part) => (part.kind === "tool-call" ? `call: ${part.name}` : `answer: ${part.text}`));
  });

/** Calls a tool for "look", and otherwise answers with the number of the request. */
const start = async () => {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    script: (request) => {
      requests.push(request);
      const last = request.messages.at(-1);
      return last?.role === "user" && last.text === "look"
        ? call({ name: "look", input: '{"at":"door"}', id: "call_a" }, { name: "look", input: "{}", id: "call_b" })
        : say(`Answer ${requests.length}.`);
    },
  });
  const prompt = (): readonly string[] => readPrompt(requests.at(-1)?.messages ?? []);
  return { instance, openai: connect(instance), requests, prompt };
};

const tools = [{ type: "function" as const, name: "look", parameters: { type: "object" }, strict: false }];
const user = (content: string) => ({ role: "user" as const, content });
const refer = (id: string | undefined) => ({ type: "item_reference" as const, id: id ?? "" });
const output = (call_id: string, text: string) => ({ type: "function_call_output" as const, call_id, output: text });

describe("references to items", () => {
  test("the AI SDK's provider sends a conversation with them, and it is continued in its thread", async () => {
    const { instance, prompt } = await start();
    const provider = createOpenAI({ baseURL: `${instance.url}/v1`, apiKey: "none" });
    const messages: NonNullable<Parameters<typeof generateText>[0]["messages"]> = [];
    for (const content of ["one", "two", "three"]) {
      messages.push({ role: "user", content });
      const { response } = await generateText({ model: provider.responses(model), messages, maxRetries: 0 });
      messages.push(...response.messages);
    }
    expect(JSON.stringify(messages)).toContain("itemId");
    expect(prompt()).toEqual(["user: one", "answer: Answer 1.", "user: two", "answer: Answer 2.", "user: three"]);
  });

  test("return messages, calls and results, each once", async () => {
    const { openai, prompt } = await start();
    const first = await openai.responses.create({ model, tools, input: "look" });
    const calls = first.output.map(({ id }) => refer(id));
    const results = [output("call_a", "red"), output("call_b", "blue")];
    const input: ResponseInputItem[] = [user("look"), ...calls, ...calls, ...results];
    const second = await openai.responses.create({ model, tools, input });
    const { data } = await openai.responses.inputItems.list(second.id, { order: "asc" });
    const ids = [...data, ...second.output].map(({ id }) => refer(id));
    await openai.responses.create({ model, input: [...ids, user("And now?")] });
    const looked = ["user: look", "call: look", "call: look", "result: red", "result: blue"];
    expect(prompt()).toEqual([...looked, "answer: Answer 2.", "user: And now?"]);
    const conversation = await openai.conversations.create({ items: ids });
    await openai.responses.create({ model, conversation: conversation.id, input: "Later?" });
    expect(prompt()).toEqual([...looked, "answer: Answer 2.", "user: Later?"]);
  });

  test("to unknown, hidden and deleted items return 404", async () => {
    const { openai, instance } = await start();
    const ask = (id: string | undefined) => openai.responses.create({ model, input: [refer(id), user("Hi")] });
    const hidden = await openai.responses.create({ model, input: "Hi", store: false });
    const deleted = await openai.responses.create({ model, input: "Hi" });
    await openai.responses.delete(deleted.id);
    const { id } = await instance.client.createThread({ body: { id: "of-the-page" } });
    await instance.client.sendMessage({ params: { threadId: id }, body: { id: "secret", text: "Secret" } });
    await instance.follow(id).ended();
    const ids = [
      hidden.output[0]?.id,
      deleted.output[0]?.id,
      `msg_${id}.secret`,
      "msg_unknown",
      "rs_1",
      "x".repeat(500),
    ];
    for (const one of ids) await expect(ask(one), one).rejects.toThrow(NotFoundError);
    const conversation = { items: [refer(hidden.output[0]?.id)] };
    await expect(openai.conversations.create(conversation)).rejects.toThrow(NotFoundError);
  });

  test("to items of another user answer as unknown ones", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({
      env: accountsOn,
      script: (request) => {
        requests.push(request);
        return say("A secret.");
      },
    });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com" });
    const openAiOf = async ({ client }: typeof bob): Promise<OpenAI> =>
      connect(instance, (await client.createKey({ body: { id: "k", name: "App", scopes: ["read", "chat"] } })).token);
    const [adas, bobs] = [await openAiOf(ada), await openAiOf(bob)];
    const { id } = await adas.conversations.create();
    const response = await adas.responses.create({ model, input: "Ada's", conversation: id });
    const { data } = await adas.conversations.items.list(id);
    const items = [...response.output, ...data].map((item) => item.id);
    const metadata = { thread: "bobs" };
    await bobs.responses.create({ model, input: "Bob's", metadata });
    for (const item of items) {
      const input = [refer(item), user("What was said?")];
      await expect(bobs.responses.create({ model, input })).rejects.toThrow(NotFoundError);
      await expect(bobs.conversations.create({ items: input })).rejects.toThrow(NotFoundError);
    }
    expect(requests).toHaveLength(2);
    const own = await adas.responses.create({ model, input: [...items.slice(0, 1).map(refer), user("Again?")] });
    expect(own.status).toBe("completed");
  });
});

describe("items of a conversation", () => {
  test("are listed as they were stored, in order, before and after a response", async () => {
    const { openai } = await start();
    const { id } = await openai.conversations.create();
    const called = { type: "function_call" as const, call_id: "call_c", name: "look", arguments: '{"at":"gate"}' };
    const items: ResponseInputItem[] = [user("look"), called, output("call_c", "green")];
    const added = await openai.conversations.items.create(id, { items });
    const kinds = ["message", "function_call", "function_call_output"];
    expect(added.data).toMatchObject([{ role: "user" }, called, output("call_c", "green")]);
    const list = async () => (await openai.conversations.items.list(id, { order: "asc", limit: 100 })).data;
    expect(await list()).toEqual(added.data);
    await openai.responses.create({ model, tools, conversation: id, input: "look" });
    const results = [output("call_a", "red"), output("call_b", "blue")];
    await openai.responses.create({ model, tools, conversation: id, input: results });
    const all = await list();
    expect(all.map(({ type }) => type)).toEqual([
      ...[...kinds, "message", "function_call", "function_call"],
      ...["function_call_output", "function_call_output", "message"],
    ]);
    expect(all[1]).toMatchObject(called);
    expect(new Set(all.map((item) => item.id)).size).toBe(all.length);
  });
});
