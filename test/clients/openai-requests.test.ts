import OpenAI, { BadRequestError } from "openai";
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { say, startInstance, type Instance } from "../support/instance.ts";

// Covers the content of requests to OpenAI's API: fields are checked, and unknown ones are neither stored nor returned.

const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

/** A body as another program may send it, without the types of the package. */
const post = async ({ url }: Pick<Instance, "url">, path: string, body: object) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
};

describe("the stored fields of a response", () => {
  test("have no keys of other servers, however a tool names them", async () => {
    const instance = await startInstance({ script: () => say("Hello.") });
    const secret = "sk-a-key-of-another-server";
    const tools = [
      { type: "mcp", server_label: "mail", server_url: `https://mail.example/${secret}`, authorization: secret },
      { type: "mcp", server_label: "two", server_url: "https://b.example", headers: { "x-key": secret } },
      { type: "function", name: "look", parameters: {}, strict: false, token: secret },
      { type: "stonechat", name: "now", token: secret },
    ];
    const request = {
      model,
      input: "Hi",
      tools,
      text: { token: secret },
      tool_choice: { type: "function", name: "look", token: secret },
    };
    const streamed = await post(instance, "/responses", { ...request, stream: true });
    expect(streamed.status).toBe(200);
    const whole = await post(instance, "/responses", request);
    const { id } = JSON.parse(whole.text) as { id: string };
    const stored = await connect(instance).responses.retrieve(id);
    expect(stored.tools).toEqual([
      { type: "mcp", server_label: "mail" },
      { type: "mcp", server_label: "two" },
      { type: "function", name: "look", description: null, parameters: {}, strict: false },
      { type: "stonechat", name: "now" },
    ]);
    for (const text of [streamed.text, whole.text, JSON.stringify(stored)]) expect(text).not.toContain(secret);
  });

  test("are bounded, whatever size the request has", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({
      script: (request) => {
        requests.push(request);
        return say("Hello.");
      },
    });
    const description = "x".repeat(90_000);
    const tools = [1, 2, 3].map((n) => ({ type: "function", name: `tool_${n}`, description, parameters: {} }));
    const { text } = await post(instance, "/responses", {
      model,
      input: "Hi",
      instructions: "y".repeat(300_000),
      tools,
    });
    expect(text.length).toBeLessThan(110_000);
    expect(JSON.parse(text)).toMatchObject({ tools: [{ name: "tool_1", description: null }, {}, {}] });
    expect(requests[0]?.tools[0]?.description).toBe(description);
    const metadata = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`key${n}`, "v"]));
    await expect(connect(instance).responses.create({ model, input: "Hi", metadata })).rejects.toThrow(BadRequestError);
  });
});

describe("input items that are not valid are refused with the field and the reason", () => {
  const output = { type: "function_call_output", call_id: "call_a" };
  const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
  const user = (content: unknown) => ({ role: "user", content });
  const cases: readonly (readonly [item: object, field: string, reason: string])[] = [
    [{ type: "message", role: "user" }, "input.1.content", "Invalid input"],
    [{ type: "message", role: "robot", content: "x" }, "input.1.role", "expected"],
    [{ content: "x" }, "input.1.role", "expected"],
    [
      user([{ type: "input_audio", input_audio: { data: "", format: "mp3" } }]),
      "input.1.content.0.type",
      "input_image",
    ],
    [user([{ type: "input_text" }]), "input.1.content.0.text", "expected string"],
    [user([{ type: "input_image", file_id: "file_1" }]), "input.1.content.0.image_url", "uploaded files"],
    [user([{ type: "input_file", file_id: "file_1" }]), "input.1.content.0", "uploaded files"],
    [{ role: "system", content: [picture] }, "input.1.content.0.type", "expected text"],
    [{ role: "assistant", content: [picture] }, "input.1.content.0.type", "output_text"],
    [{ type: "function_call", call_id: 5, name: "a", arguments: "{}" }, "input.1.call_id", "expected string"],
    [{ type: "function_call", call_id: "a", name: {}, arguments: "{}" }, "input.1.name", "expected string"],
    [{ type: "function_call", call_id: "a", name: "a", arguments: { a: 1 } }, "input.1.arguments", "expected string"],
    [{ ...output, call_id: "" }, "input.1.call_id", ""],
    [{ ...output }, "input.1.output", ""],
    [{ ...output, output: [picture] }, "input.1.output.0.type", "pictures and files in a message"],
  ];

  test("in responses and in conversations", async () => {
    const instance = await startInstance({ script: () => say("Hello.") });
    for (const [item, field, reason] of cases) {
      const input = [{ role: "user", content: "Hi" }, item];
      const { status, text } = await post(instance, "/responses", { model, input });
      expect(status, text).toBe(400);
      expect(text).toContain(`\\"${field}\\" is not valid`);
      expect(text).toContain(reason);
      expect((await post(instance, "/conversations", { items: [item] })).status).toBe(400);
    }
  });
});

describe("chat completions", () => {
  test("accept their own messages back with the fields that are null in them", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({
      script: (request) => {
        requests.push(request);
        return say("Hello.");
      },
    });
    const parts = [{ type: "text", text: "Earlier.", refusal: null }];
    const messages = [
      { role: "user", content: [{ type: "text", text: "Hi", refusal: null }] },
      { role: "assistant", content: parts, refusal: null, audio: null, function_call: null, tool_calls: null },
      { role: "user", content: "And now?" },
    ] as OpenAI.Chat.ChatCompletionMessageParam[];
    const format = { name: "answer", description: null, schema: null, strict: null };
    const completion = await connect(instance).chat.completions.create({ model, messages });
    expect(completion.choices[0]?.message.content).toBe("Hello.");
    expect(requests[0]?.messages).toMatchObject([
      { role: "user", text: "Hi" },
      { role: "assistant", parts: [{ kind: "text", text: "Earlier." }] },
      { role: "user", text: "And now?" },
    ]);
    const body = { model, messages, response_format: { type: "json_schema", json_schema: format } };
    const { text } = await post(instance, "/chat/completions", body);
    expect(text).toContain("invalid_output");
  });

  test("have usage: null in all chunks but the last one, if the request asks for usage", async () => {
    const { chat } = connect(await startInstance({ script: () => say("Hello.") }));
    const messages = [{ role: "user" as const, content: "Hi" }];
    for (const include_usage of [true, false]) {
      const stream = await chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage },
      });
      const usages: unknown[] = [];
      for await (const { usage } of stream) usages.push(usage);
      const last = include_usage ? [usages.pop()] : [];
      expect(last).toMatchObject(include_usage ? [{ total_tokens: 15 }] : []);
      expect(new Set(usages)).toEqual(new Set([include_usage ? null : undefined]));
    }
  });

  test("refuse the functions of the first version with the field to use instead", async () => {
    const { chat } = connect(await startInstance());
    const request = { model, messages: [{ role: "user" as const, content: "Hi" }], functions: [{ name: "look" }] };
    await expect(chat.completions.create(request)).rejects.toThrow(/Use "tools"/);
    await expect(chat.completions.create(request)).rejects.toThrow(BadRequestError);
  });
});
