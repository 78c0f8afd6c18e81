import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { healthyReply } from "../support/chat-wire.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { createProviderServer } from "../support/provider-server.ts";

/** Another client of OpenAI's API, and the bytes that reach a model server behind it. */
test("the AI SDK's OpenAI package reads our chunks and events: text, reasoning, tool calls and usage", async () => {
  const instance = await startInstance({
    script: ({ messages }) => {
      const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
      return results.length === 0 ? call({ name: "look", input: "{}" }) : say(`It was ${results[0]?.text}.`);
    },
  });
  const openai = createOpenAI({ baseURL: `${instance.url}/v1`, apiKey: "none" });
  const tools = [{ type: "function" as const, name: "look", inputSchema: { type: "object" as const } }];
  const user = { role: "user" as const, content: [{ type: "text" as const, text: "Look." }] };
  const read = async (model: LanguageModelV4, prompt: Parameters<LanguageModelV4["doStream"]>[0]["prompt"]) => {
    const { stream } = await model.doStream({ prompt, tools });
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  };
  for (const model of [openai.chat("scripted/script"), openai.responses("scripted/script")]) {
    const first = await read(model, [user]);
    const called = first.find((part) => part.type === "tool-call");
    expect(called).toMatchObject({ toolName: "look", input: "{}" });
    expect(first.filter((part) => part.type === "error")).toEqual([]);
    const toolCallId = called?.type === "tool-call" ? called.toolCallId : "";
    const named = { toolCallId, toolName: "look" };
    const second = await read(model, [
      user,
      { role: "assistant", content: [{ type: "tool-call", ...named, input: {} }] },
      { role: "tool", content: [{ type: "tool-result", ...named, output: { type: "text", value: "blue" } }] },
    ]);
    const text = second.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("");
    expect(text).toBe("It was blue.");
    expect(second.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "stop" },
      usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
    });
  }
});

test("settings, tools and the format reach a model server as the caller sent them, without anything of ours", async () => {
  const provider = await createProviderServer({ next: () => healthyReply('{"a":1}') });
  onTestFinished(provider.close);
  const instance = await startInstance({
    env: { STONECHAT_COMPATIBLE_URL: `${provider.url}/v1`, STONECHAT_COMPATIBLE_MODELS: "tiny" },
  });
  const { data } = await new OpenAI({ baseURL: `${instance.url}/v1`, apiKey: "none" }).models.list();
  const model = data.find(({ id }) => id.endsWith("/tiny"))?.id ?? "";
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const schema = {
    type: "object",
    properties: { a: { type: "number" } },
    required: ["a"],
    additionalProperties: false,
  };
  await new OpenAI({ baseURL: `${instance.url}/v1`, apiKey: "none", maxRetries: 0 }).chat.completions.create({
    model,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ],
    ...{ temperature: 0.5, top_p: 0.9, seed: 3, stop: ["END"], max_completion_tokens: 77 },
    ...{ parallel_tool_calls: false, reasoning_effort: "low" },
    tools: [{ type: "function", function: { name: "get_weather", description: "Weather", parameters } }],
    tool_choice: "auto",
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
  });
  const body = provider.calls.find(({ path }) => path.endsWith("/chat/completions"))?.body as Record<string, unknown>;
  expect(body).toMatchObject({
    ...{ model: "tiny", temperature: 0.5, top_p: 0.9, seed: 3, stop: ["END"], max_tokens: 77, tool_choice: "auto" },
    ...{ parallel_tool_calls: false, reasoning_effort: "low" },
    tools: [{ type: "function", function: { name: "get_weather", parameters } }],
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
  });
  expect(body["messages"]).toMatchObject([
    { role: "system", content: expect.stringMatching(/^Be brief\.\n\n/) },
    { role: "user", content: "Hi" },
  ]);
  expect(body["tools"]).toHaveLength(1);
});

test("a provider without credit is reported at once: the package does not try again", async () => {
  const provider = await createProviderServer({
    next: () => ({ status: 402, body: JSON.stringify({ error: { message: "Add credits to continue." } }) }),
  });
  onTestFinished(provider.close);
  const instance = await startInstance({
    env: { STONECHAT_COMPATIBLE_URL: `${provider.url}/v1`, STONECHAT_COMPATIBLE_MODELS: "tiny" },
  });
  let requests = 0;
  const openai = new OpenAI({
    baseURL: `${instance.url}/v1`,
    apiKey: "none",
    fetch: (input, init) => {
      requests += 1;
      return fetch(input, init);
    },
  });
  const answer = openai.chat.completions.create({
    model: "compatible/tiny",
    messages: [{ role: "user", content: "Hi" }],
  });
  await expect(answer).rejects.toMatchObject({ status: 429, code: "insufficient_quota" });
  expect(requests).toBe(1);
});
