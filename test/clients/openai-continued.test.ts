import OpenAI, { BadRequestError, ConflictError } from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../protocol/model.ts";
import type { Script } from "../../server/model/scripted.ts";
import { call, say, startInstance, type Instance } from "../support/instance.ts";

/** How conversations of OpenAI's API continue: results that are sent again or never, system text, and threads that are found again. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const tools = [{ type: "function" as const, name: "look", parameters: { type: "object" }, strict: false }];
const output = (call_id: string, text: string) => ({ type: "function_call_output" as const, call_id, output: text });
const user = (content: string) => ({ role: "user" as const, content });

/** Calls a tool for "look", and otherwise repeats the conversation. */
function listen(): { readonly requests: ModelRequest[]; readonly script: Script } {
  const requests: ModelRequest[] = [];
  const script: Script = (request) => {
    requests.push(request);
    const last = request.messages.at(-1);
    return last?.role === "user" && last.text === "look"
      ? call({ name: "look", input: '{"at":"door"}', id: "call_a" }, { name: "look", input: "{}", id: "call_b" })
      : say(`It is ${readPrompt(request.messages).join(" ")}.`);
  };
  return { requests, script };
}

const readPrompt = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.map((message) => {
    if (message.role === "tool") return `[${message.results.map(({ text }) => text).join()}]`;
    return message.role === "user" ? message.text : "A";
  });

const isIdle = async ({ client }: Instance, threadId: string) =>
  (await client.getThread({ params: { threadId } })).thread.status === "idle";

const start = async () => {
  const { requests, script } = listen();
  const instance = await startInstance({ script });
  return { instance, openai: connect(instance), requests };
};

describe("results of the caller's tools", () => {
  test("can be followed by a message, sent again, and answered differently, after a response", async () => {
    const { openai, requests, instance } = await start();
    const first = await openai.responses.create({ model, tools, input: "look", store: true });
    const ask = (input: ResponseInputItem[]) =>
      openai.responses.create({ model, tools, input, store: true, previous_response_id: first.id });
    const results = [output("call_a", "red"), output("call_b", "blue")];
    expect((await ask([...results, user("And now?")])).output_text).toBe("It is look A [red,blue] And now?.");
    const again = await ask(results);
    expect(again.output_text).toBe("It is look A [red,blue].");
    expect((await ask(results)).output_text).toBe("It is look A [red,blue].");
    expect((await ask([output("call_a", "green"), output("call_b", "grey")])).output_text).toBe(
      "It is look A [green,grey].",
    );
    expect(requests).toHaveLength(5);
    // All of them are variants in one thread.
    expect((await instance.client.listThreads({ query: {} })).threads).toHaveLength(1);
    const next = await openai.responses.create({ model, input: "More?", previous_response_id: again.id });
    expect(next.output_text).toBe("It is look A [red,blue] A More?.");
    await expect(ask([output("call_a", "red")])).resolves.toBeDefined();
    await expect(ask([output("call_x", "red")])).rejects.toThrow(BadRequestError);
  });

  test("the same in a conversation", async () => {
    const { openai, instance } = await start();
    const { id: conversation } = await openai.conversations.create({});
    const ask = (input: ResponseInputItem[]) => openai.responses.create({ model, tools, input, conversation });
    await ask([user("look")]);
    const results = [output("call_a", "red"), output("call_b", "blue")];
    await expect(ask(results.slice(1))).rejects.toThrow(BadRequestError);
    expect((await ask(results)).output_text).toBe("It is look A [red,blue].");
    expect((await ask(results)).output_text).toBe("It is look A [red,blue].");
    expect((await ask([...results, user("And now?")])).output_text).toBe("It is look A [red,blue] And now?.");
    expect((await ask([user("More?")])).output_text).toBe("It is look A [red,blue] And now? A More?.");
    await expect(ask(results)).rejects.toThrow(BadRequestError);
    expect((await instance.client.listThreads({ query: {} })).threads).toMatchObject([{ status: "idle" }]);
  });

  test("that never come do not block a conversation, a named thread or the thread of a response", async () => {
    const { openai, instance } = await start();
    const { id: conversation } = await openai.conversations.create({});
    const inConversation = (input: string) => openai.responses.create({ model, tools, input, conversation });
    await inConversation("look");
    const [thread] = (await instance.client.listThreads({ query: {} })).threads;
    expect((await inConversation("Never mind.")).output_text).toContain("Never mind.");
    expect(await isIdle(instance, thread!.id)).toBe(true);

    const metadata = { thread: "notes" };
    const inNamed = (content: string) =>
      openai.chat.completions.create({
        ...{ model, metadata, messages: [user(content)] },
        tools: [{ type: "function", function: { name: "look" } }],
      });
    await inNamed("look");
    expect((await inNamed("Never mind.")).choices[0]?.message.content).toContain("Never mind.");
    expect(await isIdle(instance, "notes")).toBe(true);

    const one = await openai.responses.create({ model, tools, input: "one", store: true });
    const after = (input: string) =>
      openai.responses.create({ model, tools, input, store: true, previous_response_id: one.id });
    await after("look");
    expect((await after("two")).output_text).toBe("It is one A two.");
    expect((await instance.client.listThreads({ query: {} })).threads).toHaveLength(3);
  });

  test("are answered by the model of the request that brings them", async () => {
    const { script } = listen();
    const instance = await startInstance({ script });
    const openai = connect(instance);
    const first = await openai.responses.create({ model, tools, input: "look", store: true });
    const results = [output("call_a", "red"), output("call_b", "blue")];
    const next = { tools, input: results, previous_response_id: first.id, store: true };
    const second = await openai.responses.create({ ...next, model: "scripted/backup" });
    expect(second.output_text).toBe("It is look A [red,blue].");
    const [thread] = (await instance.client.listThreads({ query: {} })).threads;
    const { receipts } = await instance.client.listReceipts({ params: { threadId: thread!.id }, query: {} });
    expect(receipts.map((receipt) => receipt.model).toSorted()).toEqual(["scripted/backup", "scripted/script"]);
  });
});

describe("system text of input items", () => {
  test("stays with the responses that follow, and instructions do not", async () => {
    const { openai, requests } = await start();
    const first = await openai.responses.create({
      ...{ model, instructions: "Be brief." },
      input: [{ role: "developer", content: "Speak French." }, user("one")],
    });
    expect(JSON.stringify(await openai.responses.retrieve(first.id))).not.toContain("French");
    const input = [{ role: "system" as const, content: "Be kind." }, user("two")];
    const second = await openai.responses.create({ model, input, previous_response_id: first.id });
    await openai.responses.create({ model, input: "three", instructions: "New.", previous_response_id: second.id });
    expect(requests.map(({ system }) => system)).toEqual([
      "Be brief.\n\nSpeak French.",
      "Speak French.\n\nBe kind.",
      "New.\n\nSpeak French.\n\nBe kind.",
    ]);
  });

  test("stays with a conversation", async () => {
    const { openai, requests } = await start();
    const items = [{ type: "message" as const, role: "system" as const, content: "Speak French." }];
    const { id: conversation } = await openai.conversations.create({ items });
    await openai.responses.create({ model, input: "one", conversation });
    await openai.conversations.items.create(conversation, { items: [{ role: "developer", content: "Be kind." }] });
    const input = [{ role: "system" as const, content: "Be brief." }, user("two")];
    await openai.responses.create({ model, input, conversation });
    await openai.responses.create({ model, input: "three", conversation });
    expect(requests.map(({ system }) => system)).toEqual([
      "Speak French.",
      "Speak French.\n\nBe kind.\n\nBe brief.",
      "Speak French.\n\nBe kind.\n\nBe brief.",
    ]);
  });
});

describe("items that are added to a conversation", () => {
  test("are refused if no response could use them", async () => {
    const { openai } = await start();
    const { id: conversation } = await openai.conversations.create({});
    const add = (...items: ResponseInputItem[]) => openai.conversations.items.create(conversation, { items });
    const picture = { type: "input_image" as const, image_url: "data:image/png;base64,AAAA", detail: "auto" as const };
    await expect(add(output("call_a", "red"))).rejects.toThrow(BadRequestError);
    await expect(add({ type: "function_call", call_id: "call_a", name: "look", arguments: "{}" })).rejects.toThrow(
      BadRequestError,
    );
    await expect(add({ role: "user", content: [picture] })).rejects.toThrow("input of a response");
    await expect(openai.conversations.create({ items: [output("call_a", "red")] })).rejects.toThrow(BadRequestError);
    const long = user("x".repeat(600_000));
    await add(long);
    await expect(add(long)).rejects.toMatchObject({ status: 413 });
    expect((await openai.responses.create({ model, input: "short", conversation })).status).toBe("completed");
  });

  test("can be answered without further input, and none is lost when they are added while a response begins", async () => {
    const { openai, requests } = await start();
    const { id: conversation } = await openai.conversations.create({ items: [user("first")] });
    const { output_text } = await openai.responses.create({ model, conversation });
    expect(output_text).toBe("It is first.");
    await expect(openai.responses.create({ model, conversation })).rejects.toThrow(BadRequestError);
    const texts = Array.from({ length: 12 }, (_, index) => `item-${index}`);
    const add = async (text: string): Promise<void> => {
      const added = await openai.conversations.items
        .create(conversation, { items: [user(text)] })
        .catch((error) => error);
      if (added instanceof ConflictError) return add(text);
    };
    const ask = async (): Promise<void> => {
      const asked = await openai.responses.create({ model, input: "next", conversation }).catch((error) => error);
      if (asked instanceof ConflictError) return ask();
    };
    await Promise.all([...texts.slice(0, 6).map(add), ask(), ...texts.slice(6).map(add)]);
    await ask();
    const sent = JSON.stringify(requests.at(-1)?.messages);
    for (const text of texts) expect(sent.split(`"${text}"`)).toHaveLength(2);
  });
});

test("a thread is found again among hundreds of requests that began like it", async () => {
  const { openai, instance } = await start();
  const ask = async (store: boolean, ...contents: readonly string[]) => {
    const messages = contents.map((content, index) => ({ role: index % 2 ? "assistant" : "user", content }) as const);
    return (await openai.chat.completions.create({ model, store, messages })).choices[0]?.message.content ?? "";
  };
  const first = await ask(true, "one");
  const second = await ask(true, "one", first, "two");
  for (let batch = 0; batch < 11; batch += 1) await Promise.all(Array.from({ length: 10 }, () => ask(false, "one")));
  await ask(true, "one", first, "two", second, "three");
  expect((await instance.client.listThreads({ query: {} })).threads).toMatchObject([{ messageCount: 6 }]);
});

describe("a refused request leaves nothing behind", () => {
  const broken = "data:application/pdf;base64,AAAA";
  const file = { type: "file" as const, file: { file_data: broken, filename: "a.pdf" } };

  test("no thread, no file and no other profile", async () => {
    const { openai, instance } = await start();
    const messages = [{ role: "user" as const, content: [file] }];
    await expect(openai.chat.completions.create({ model, messages, store: true })).rejects.toMatchObject({
      status: 415,
    });
    expect((await instance.client.listThreads({ query: {} })).threads).toEqual([]);

    const metadata = { thread: "notes" };
    await openai.chat.completions.create({ model, metadata, messages: [user("one")] });
    const note = `data:text/plain;base64,${Buffer.from("note").toString("base64")}`;
    const good = { type: "file" as const, file: { file_data: note, filename: "a.txt" } };
    const both = [{ role: "user" as const, content: [good, file] }];
    await expect(
      openai.chat.completions.create({ model: "stonechat/research", metadata, messages: both }),
    ).rejects.toMatchObject({ status: 415 });
    const { thread } = await instance.client.getThread({ params: { threadId: "notes" } });
    expect(thread.profile).toBe("stone");
    const { attachments } = await instance.client.listAttachments({ query: { threadId: "notes" } });
    expect(attachments).toEqual([]);
    await expect(
      openai.chat.completions.create({ model, metadata: { thread: "new" }, messages: [] }),
    ).rejects.toThrow();
    expect((await instance.client.listThreads({ query: {} })).threads).toHaveLength(1);
  });

  test("nor does a message that is too long for its profile; a plain model has no such limit", async () => {
    const { openai, instance } = await start();
    await instance.client.createProfile({ body: { id: "short", name: "Short", window: { messageCharacters: 200 } } });
    const metadata = { thread: "notes" };
    await openai.chat.completions.create({ model, metadata, messages: [user("r".repeat(10_001))] });
    for (const [profile, most] of [["short", 200] as const, ["research", 10_000] as const]) {
      const input = "r".repeat(most + 1);
      const long = openai.responses.create({ model: `stonechat/${profile}`, metadata, input });
      await expect(long).rejects.toMatchObject({ status: 413, code: "request_too_large" });
    }
    const { thread } = await instance.client.getThread({ params: { threadId: "notes" } });
    expect(thread).toMatchObject({ profile: "stone", messageCount: 2 });
  });

  test("nor does a request that waits, until its turn", async () => {
    const instance = await startInstance();
    const openai = connect(instance);
    const metadata = { thread: "busy" };
    const running = await openai.responses.create({ model, metadata, input: "say begun then hang", background: true });
    await expect
      .poll(async () => (await openai.responses.retrieve(running.id, { stream: false })).status)
      .toBe("in_progress");
    const next = openai.responses.create({ model: "stonechat/research", metadata, input: "say next" });
    const readProfile = async () => (await instance.client.getThread({ params: { threadId: "busy" } })).thread.profile;
    expect(await readProfile()).toBe("stone");
    await openai.responses.cancel(running.id);
    expect((await next).output_text).toBe("next");
    expect(await readProfile()).toBe("research");
  });
});
