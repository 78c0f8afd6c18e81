import OpenAI from "openai";
import type { ResponseCreateParamsNonStreaming, ResponseStreamEvent } from "openai/resources/responses/responses";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ModelRequest } from "../../protocol/model.ts";
import { toPng } from "../support/attachments/files.ts";
import { call, say, startInstance } from "../support/instance.ts";

/**
 * The acceptance cases that Open Responses publishes: text, streaming, a system message, a tool call whole and streamed, a picture, and
 * several turns. Each is sent by the official package as the specification writes it, and its response has every field that the
 * specification requires.
 */
const model = "scripted/script";

const count = z.int().nonnegative();
const Message = z.object({
  id: z.string().min(1),
  type: z.literal("message"),
  status: z.literal("completed"),
  role: z.literal("assistant"),
  content: z.array(
    z.object({
      type: z.literal("output_text"),
      text: z.string(),
      annotations: z.array(z.object({ type: z.string() })),
      logprobs: z.array(z.unknown()),
    }),
  ),
});
const FunctionCall = z.object({
  id: z.string().min(1),
  type: z.literal("function_call"),
  status: z.literal("completed"),
  call_id: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string(),
});
/** The required fields of a response. */
const ResponseFields = z.object({
  id: z.string().min(1),
  object: z.literal("response"),
  created_at: count,
  completed_at: count.nullable(),
  status: z.enum(["queued", "in_progress", "completed"]),
  incomplete_details: z.null(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(z.discriminatedUnion("type", [Message, FunctionCall])),
  error: z.null(),
  tools: z.array(
    z.object({
      type: z.literal("function"),
      name: z.string(),
      description: z.string().nullable(),
      parameters: z.record(z.string(), z.unknown()).nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  tool_choice: z.enum(["none", "auto", "required"]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.object({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: count,
  temperature: z.number(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      input_tokens_details: z.object({ cached_tokens: count }),
      output_tokens_details: z.object({ reasoning_tokens: count }),
    })
    .nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const place = { item_id: z.string().min(1), output_index: count };
const inContent = { ...place, content_index: count };
const part = z.object({ type: z.literal("output_text"), text: z.string() });
const item = { output_index: count, item: z.object({ id: z.string().min(1), type: z.string(), status: z.string() }) };
const whole = { response: ResponseFields };
const events = {
  "response.created": whole,
  "response.in_progress": whole,
  "response.completed": whole,
  "response.output_item.added": item,
  "response.output_item.done": item,
  "response.content_part.added": { ...inContent, part },
  "response.content_part.done": { ...inContent, part },
  "response.output_text.delta": { ...inContent, delta: z.string(), logprobs: z.array(z.unknown()) },
  "response.output_text.done": { ...inContent, text: z.string(), logprobs: z.array(z.unknown()) },
  "response.function_call_arguments.delta": { ...place, delta: z.string() },
  "response.function_call_arguments.done": { ...place, arguments: z.string() },
} as const;

const isKnown = (type: string): type is keyof typeof events => Object.hasOwn(events, type);

/** Checks the required fields of an event, and returns its type. */
function checkEvent(event: ResponseStreamEvent): string {
  const { type } = event;
  if (!isKnown(type)) throw new Error(`No fields are listed for the event ${type}.`);
  z.object({ type: z.literal(type), sequence_number: count, ...events[type] }).parse(event);
  return type;
}

const user = (content: string) => ({ type: "message", role: "user", content }) as const;

const weather = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: {
    type: "object",
    properties: { location: { type: "string", description: "The city and state, e.g. San Francisco, CA" } },
    required: ["location"],
  },
  // The specification's request has no `strict`, which the package's type requires.
} as unknown as OpenAI.Responses.FunctionTool;
const askWeather = { input: [user("What's the weather like in San Francisco?")], tools: [weather] };

async function open() {
  const requests: ModelRequest[] = [];
  const { url } = await startInstance({
    script: (request) => {
      requests.push(request);
      return request.tools.some(({ name }) => name === "get_weather")
        ? call({ name: "get_weather", input: '{"location":"San Francisco, CA"}', id: "call_1" })
        : say("one two three");
    },
  });
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  return {
    requests,
    create: async (body: Omit<ResponseCreateParamsNonStreaming, "model">) =>
      ResponseFields.parse(await openai.responses.create({ ...body, model })),
    stream: async (body: Omit<ResponseCreateParamsNonStreaming, "model" | "stream">) => {
      const seen: ResponseStreamEvent[] = [];
      for await (const event of await openai.responses.create({ ...body, model, stream: true })) seen.push(event);
      return seen;
    },
  };
}

test("basic text response", async () => {
  const { create } = await open();
  expect(await create({ input: [user("Say hello in exactly 3 words.")] })).toMatchObject({
    status: "completed",
    completed_at: expect.any(Number),
    output: [{ type: "message", content: [{ text: "one two three" }] }],
    usage: { total_tokens: expect.any(Number) },
  });
});

test("streaming response", async () => {
  const { stream } = await open();
  const seen = await stream({ input: [user("Count from 1 to 5.")] });
  const types = seen.map(checkEvent);
  expect(types.filter((type) => type !== "response.output_text.delta")).toEqual([
    ...["response.created", "response.in_progress", "response.output_item.added", "response.content_part.added"],
    ...["response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"],
  ]);
  expect(types).toContain("response.output_text.delta");
  expect(seen.at(-1)).toMatchObject({ response: { status: "completed", output: [{ type: "message" }] } });
});

test("system prompt", async () => {
  const { create, requests } = await open();
  const system = "You are a pirate. Always respond in pirate speak.";
  const input = [{ type: "message" as const, role: "system" as const, content: system }, user("Say hello.")];
  expect(await create({ input })).toMatchObject({ status: "completed", output: [{ type: "message" }] });
  expect(requests[0]).toMatchObject({ system, messages: [{ role: "user", text: "Say hello." }] });
});

test("tool calling", async () => {
  const { create } = await open();
  expect(await create(askWeather)).toMatchObject({
    status: "completed",
    output: [{ type: "function_call", name: "get_weather", arguments: '{"location":"San Francisco, CA"}' }],
    tools: [{ name: "get_weather", parameters: weather.parameters }],
  });
});

test("tool calling, streamed", async () => {
  const { stream } = await open();
  const seen = await stream(askWeather);
  expect(seen.map(checkEvent)).toEqual([
    ...["response.created", "response.in_progress", "response.output_item.added"],
    ...["response.function_call_arguments.delta", "response.function_call_arguments.done"],
    ...["response.output_item.done", "response.completed"],
  ]);
  for (const type of ["response.output_item.added", "response.output_item.done"])
    expect(seen.find((event) => event.type === type)).toMatchObject({ item: { type: "function_call" } });
});

test("image input", async () => {
  const { create, requests } = await open();
  const image_url = `data:image/png;base64,${toPng(32, 32).toString("base64")}`;
  // The specification's request has no `detail`, which the package's type requires.
  const image = { type: "input_image", image_url } as OpenAI.Responses.ResponseInputImage;
  const text = { type: "input_text" as const, text: "What do you see in this image? Answer in one sentence." };
  const input = [{ type: "message" as const, role: "user" as const, content: [text, image] }];
  expect(await create({ input })).toMatchObject({ status: "completed", output: [{ type: "message" }] });
  expect(requests[0]?.messages).toMatchObject([
    { role: "user", images: [{ mediaType: "image/png" }] },
    { role: "user", text: text.text },
  ]);
});

test("multi-turn conversation", async () => {
  const { create, requests } = await open();
  const answer = "Hello Alice! Nice to meet you. How can I help you today?";
  const input = [
    user("My name is Alice."),
    { type: "message" as const, role: "assistant" as const, content: answer },
    user("What is my name?"),
  ];
  expect(await create({ input })).toMatchObject({ status: "completed", output: [{ type: "message" }] });
  expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(JSON.stringify(requests[0]?.messages)).toContain(answer);
});
