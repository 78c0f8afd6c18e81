import OpenAI from "openai";
import type { ResponseInputItem, Tool } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../protocol/model.ts";
import { call, say, startInstance, type Instance } from "../support/instance.ts";

// Covers the request to the model: the conversation and the tools, as the program sent them.

const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const readPrompt = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "user") return [`user: ${message.text}`];
    if (message.role === "tool") return message.results.map(({ text }) => `result: ${text}`);
    return message.parts.map((part) => (part.kind === "tool-call" ? `call: ${part.name}` : `answer: ${part.text}`));
  });

type Call = { readonly name: string; readonly input: string; readonly id: string };

const start = async (calls: readonly Call[] = []) => {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    script: (request) => {
      requests.push(request);
      return requests.length === 1 && calls.length > 0 ? call(...calls) : say(`Answer ${requests.length}.`);
    },
  });
  return { instance, openai: connect(instance), requests, prompt: () => readPrompt(requests.at(-1)?.messages ?? []) };
};

const user = (content: string) => ({ role: "user" as const, content });
const marked = (text: string) => `user: <system_message>\n${text}\n</system_message>`;

describe("messages of chat completions", () => {
  test("keep a refusal between two messages of the user", async () => {
    const { openai, prompt } = await start();
    const refused = { role: "assistant" as const, content: null, refusal: "I cannot do that." };
    await openai.chat.completions.create({ model, messages: [user("one"), refused, user("two")] });
    expect(prompt()).toEqual(["user: one", "answer: I cannot do that.", "user: two"]);
  });

  test("keep the position of system text, but never between a call and its result", async () => {
    const { openai, prompt, requests } = await start();
    const system = (content: string) => ({ role: "system" as const, content });
    const tool = { id: "a", type: "function" as const, function: { name: "look", arguments: "{}" } };
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
      ...[system("Be brief."), { role: "developer" as const, content: "Be kind." }, user("one")],
      ...[{ role: "assistant" as const, content: "yes" }, system("Now speak French."), user("two")],
      ...[{ role: "assistant" as const, content: null, tool_calls: [tool] }, system("The door is open.")],
      ...[{ role: "tool" as const, tool_call_id: "a", content: "red" }, user("three"), system("Answer now.")],
    ];
    await openai.chat.completions.create({ model, messages });
    expect(requests[0]?.system).toBe("Be brief.\n\nBe kind.");
    const first = ["user: one", "answer: yes", marked("Now speak French."), "user: two", "call: look", "result: red"];
    expect(prompt()).toEqual([...first, marked("The door is open."), "user: three", marked("Answer now.")]);
  });

  test("keep the names of several users", async () => {
    const { openai, prompt } = await start();
    const messages = [
      { ...user("Tea?"), name: "Ada" },
      { ...user("Coffee."), name: "Bob" },
    ];
    await openai.chat.completions.create({ model, messages });
    expect(prompt()).toEqual(["user: Ada: Tea?", "user: Bob: Coffee."]);
  });

  test("continue their thread when they are sent again with later system text", async () => {
    const { openai, instance } = await start();
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [user("one")];
    for (const content of ["two", "three"]) {
      const { choices } = await openai.chat.completions.create({ model, messages, store: true });
      messages.push(choices[0]!.message, { role: "system", content: `Before ${content}.` }, user(content));
    }
    await openai.chat.completions.create({ model, messages, store: true });
    expect((await instance.client.listThreads({ query: {} })).threads).toMatchObject([{ messageCount: 8 }]);
  });
});

test("input of responses keeps the position of later developer text", async () => {
  const { openai, prompt, requests } = await start();
  const input: ResponseInputItem[] = [
    ...[{ role: "developer" as const, content: "Be brief." }, user("one")],
    ...[
      { role: "assistant" as const, content: "yes" },
      { role: "developer" as const, content: "You may write." },
    ],
    user("two"),
  ];
  await openai.responses.create({ model, input });
  expect(requests[0]?.system).toBe("Be brief.");
  expect(prompt()).toEqual(["user: one", "answer: yes", marked("You may write."), "user: two"]);
});

describe("tools in a namespace", () => {
  const look = { type: "function" as const, name: "look", description: "Looks.", parameters: { type: "object" } };
  const tools: Tool[] = [
    { type: "namespace", name: "mcp__door", description: "A door.", tools: [look, { type: "custom", name: "draw" }] },
    { type: "namespace", name: "mcp__wall__", description: "A wall.", tools: [look] },
    { ...look, strict: false },
  ];
  const names = ["look", "mcp__door__look", "mcp__wall__look"];

  test("are offered as functions, and their calls have the name and the namespace", async () => {
    const { openai, requests, prompt } = await start(
      names.map((name, index) => ({ name, input: '{"at":1}', id: `call_${index}` })),
    );
    const asked = await openai.responses.create({ model, tools, input: "go", store: true });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(names);
    const called = [
      { name: "look", call_id: "call_0" },
      { name: "look", namespace: "mcp__door", call_id: "call_1" },
      { name: "look", namespace: "mcp__wall__", call_id: "call_2" },
    ].map((one) => expect.objectContaining({ type: "function_call", ...one }));
    expect(asked.output).toEqual(called);
    expect(asked.output[0]).not.toHaveProperty("namespace");
    expect((await openai.responses.retrieve(asked.id)).output).toEqual(called);

    const stream = await openai.responses.retrieve(asked.id, { stream: true });
    const done: unknown[] = [];
    for await (const event of stream) {
      if (event.type === "response.output_item.done") done.push(event.item);
    }
    expect(done).toEqual(called);

    // As Codex does it: everything is sent again, with the namespaces.
    const results = asked.output.map((item) => ({
      ...{ type: "function_call_output" as const, output: "red" },
      call_id: item.type === "function_call" ? item.call_id : "",
    }));
    const input = [user("go"), ...(asked.output as ResponseInputItem[]), ...results];
    await openai.responses.create({ model, tools, input });
    expect(prompt()).toEqual(["user: go", ...names.map((name) => `call: ${name}`), ...Array(3).fill("result: red")]);
  });

  test("can be allowed or required", async () => {
    const { openai, requests } = await start();
    const wall = { type: "namespace", name: "mcp__wall__" };
    const allowed = { type: "allowed_tools" as const, mode: "auto" as const, tools: [wall] };
    await openai.responses.create({ model, tools, input: "go", tool_choice: allowed });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["mcp__wall__look"]);
    const required = { type: "function" as const, name: "look", namespace: "mcp__door" };
    await openai.responses.create({ model, tools, input: "go", tool_choice: required });
    expect(requests[1]?.toolChoice).toEqual({ tool: "mcp__door__look" });
  });

  test("are repeated by the response, and bounded", async () => {
    const { openai } = await start();
    const { tools: echoed } = await openai.responses.create({ model, tools, input: "go" });
    expect(echoed[0]).toMatchObject({ type: "namespace", name: "mcp__door", tools: [{ name: "look" }, {}] });
    const long = { ...look, name: "x".repeat(120) };
    const named = { type: "namespace" as const, name: "mcp__door", description: "", tools: [long] };
    await expect(openai.responses.create({ model, tools: [named], input: "go" })).rejects.toThrow("too long");
    const many = Array.from({ length: 100 }, (_, n) => ({ ...look, name: `look_${n}` }));
    const both = ["a", "b"].map((name) => ({ type: "namespace" as const, name, description: "", tools: many }));
    await expect(openai.responses.create({ model, tools: both, input: "go" })).rejects.toThrow("at most 128");
  });
});

test("tools that are not offered are named in the reply", async () => {
  const { openai } = await start();
  const tools: Tool[] = [
    { type: "custom", name: "draw" },
    { type: "mcp", server_label: "mail", server_url: "https://mail.example/secret", authorization: "secret" },
    { type: "web_search" },
    { type: "namespace", name: "files", description: "", tools: [{ type: "custom", name: "patch" }] },
  ];
  const response = await openai.responses.create({ model, tools, input: "go" });
  const unsupported_tools = [
    { type: "custom", name: "draw" },
    { type: "mcp", server_label: "mail" },
    { type: "custom", name: "patch", namespace: "files" },
  ];
  expect(response).toMatchObject({ unsupported_tools });
  expect(await openai.responses.retrieve(response.id)).toMatchObject({ unsupported_tools });
  expect(JSON.stringify(response)).not.toContain("secret");
  const completion = await openai.chat.completions.create({
    ...{ model, messages: [user("go")] },
    tools: [{ type: "custom", custom: { name: "draw" } }],
  });
  expect(completion).toMatchObject({ unsupported_tools: [{ type: "custom", name: "draw" }] });
  const plain = await openai.responses.create({ model, input: "go" });
  expect(plain).not.toHaveProperty("unsupported_tools");
});
