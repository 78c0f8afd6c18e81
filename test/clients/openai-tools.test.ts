import OpenAI, { BadRequestError } from "openai";
import { zodFunction, zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ModelRequest } from "../../protocol/model.ts";
import { call, say, startInstance, type Instance } from "../support/instance.ts";
import { toPng } from "../support/attachments/files.ts";

/** The official package against the real server: tools of the caller, structured output, pictures and files. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const weather = {
  type: "function" as const,
  name: "get_weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: true,
};

/** Calls the tool until it has a result, then repeats the results. */
const useTool = (requests: ModelRequest[]) => (request: ModelRequest) => {
  requests.push(request);
  const results = request.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  if (results.length === 0) {
    return call(
      { name: "get_weather", input: '{"city":"Oslo"}', id: "call_a" },
      { name: "get_weather", input: '{"city":"Rome"}', id: "call_b" },
    );
  }
  return say(results.map(({ text }) => text).join(" and "));
};

describe("tools of the caller", () => {
  test("runTools of the package calls them and gets the final answer, in one run of one thread", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({ script: useTool(requests) });
    const runner = connect(instance).chat.completions.runTools({
      model,
      store: true,
      messages: [{ role: "user", content: "Weather in Oslo and Rome?" }],
      tools: [
        zodFunction({
          name: "get_weather",
          parameters: z.object({ city: z.string() }),
          function: ({ city }) => `${city}: sunny`,
        }),
      ],
    });
    expect(await runner.finalContent()).toBe("Oslo: sunny and Rome: sunny");
    expect(requests).toHaveLength(2);
    expect(requests[0]?.tools).toMatchObject([{ name: "get_weather" }]);
    const [thread] = (await instance.client.listThreads({ query: {} })).threads;
    const { runs } = await instance.client.listRuns({ params: { threadId: thread!.id }, query: {} });
    expect(runs).toMatchObject([{ outcome: "done", step: 2 }]);
    const { messages } = await instance.client.getThread({ params: { threadId: thread!.id } });
    const tools = messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));
    expect(tools).toMatchObject([
      { state: "ok", client: true, output: "Oslo: sunny", untrusted: ["the tool get_weather of a connected program"] },
      { state: "ok", client: true, output: "Rome: sunny" },
    ]);
    const { receipts } = await instance.client.listReceipts({ params: { threadId: thread!.id }, query: {} });
    for (const { id } of receipts) {
      const request = await instance.client.getRequest({ params: { threadId: thread!.id, receiptId: id } });
      expect(request.verified).toBe(true);
    }
  });

  test("the Responses API returns tool calls as items, and their outputs continue the same answer", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({ script: useTool(requests) });
    const openai = connect(instance);
    const first = await openai.responses.create({ model, input: "Weather?", tools: [weather], store: true });
    const calls = first.output.filter((item) => item.type === "function_call");
    // The program has to act, not the user.
    expect((await instance.client.listThreads({ query: {} })).threads).toMatchObject([{ status: "streaming" }]);
    expect(calls).toMatchObject([
      { name: "get_weather", call_id: "call_a", arguments: '{"city":"Oslo"}', status: "completed" },
      { name: "get_weather", call_id: "call_b", arguments: '{"city":"Rome"}', status: "completed" },
    ]);
    expect(first).toMatchObject({ status: "completed", usage: { input_tokens: 10 } });
    const outputs = calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "rain" }));
    const next = { model, tools: [weather], previous_response_id: first.id };
    await expect(openai.responses.create({ ...next, input: outputs.slice(1) })).rejects.toThrow(BadRequestError);
    const second = await openai.responses.create({ ...next, input: outputs });
    expect(second).toMatchObject({ output_text: "rain and rain", usage: { input_tokens: 10 } });
    expect((await openai.responses.retrieve(first.id)).output).toEqual(first.output);
    expect(second.output).toHaveLength(1);
    const list = await openai.responses.inputItems.list(second.id, { order: "asc" });
    expect(list.data).toMatchObject([
      { type: "message", role: "user" },
      { type: "function_call", call_id: "call_a" },
      { type: "function_call", call_id: "call_b" },
      { type: "function_call_output", call_id: "call_a", output: "rain" },
      { type: "function_call_output", call_id: "call_b", output: "rain" },
    ]);
    const unknown = openai.responses.inputItems.list(second.id, { after: "msg_unknown" });
    await expect(unknown).rejects.toThrow(BadRequestError);
  });

  test("a conversation with tool results that no thread knows is answered as it was sent", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({ script: useTool(requests) });
    const input = [
      { role: "user" as const, content: "Weather?" },
      { type: "function_call" as const, call_id: "call_x", name: "get_weather", arguments: '{"city":"Bonn"}' },
      { type: "function_call_output" as const, call_id: "call_x", output: "fog" },
    ];
    const response = await connect(instance).responses.create({ model, input, tools: [weather] });
    expect(response.output_text).toBe("fog");
    expect(requests).toHaveLength(1);
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(response.output).toHaveLength(1);
  });

  test("tool_choice reaches the first model call, and a call in a stream arrives whole", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({ script: useTool(requests) });
    const stream = await connect(instance).chat.completions.create({
      model,
      stream: true,
      tool_choice: "required",
      parallel_tool_calls: false,
      messages: [{ role: "user", content: "Weather?" }],
      tools: [{ type: "function", function: { name: "get_weather", parameters: weather.parameters } }],
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const calls = chunks.flatMap(({ choices: [choice] }) => choice?.delta.tool_calls ?? []);
    expect(calls).toMatchObject([
      { index: 0, id: "call_a", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
      { index: 1, id: "call_b", function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
    ]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
    expect(requests[0]).toMatchObject({ toolChoice: "required", settings: { parallelToolCalls: false } });
  });

  test("allowed_tools offers only those, and tools and choices of other kinds are ignored", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({
      script: (request) => {
        requests.push(request);
        return say("Done.");
      },
    });
    const openai = connect(instance);
    const other = { ...weather, name: "other" };
    const named = { type: "function" as const, name: "other" };
    const custom = { type: "custom" as const, name: "write" };
    const ask = (tool_choice: OpenAI.Responses.ResponseCreateParams["tool_choice"]) =>
      openai.responses.create({
        ...{ model, input: "go", tool_choice: tool_choice ?? "auto" },
        tools: [weather, other, custom, { type: "web_search_preview" }],
      });
    await ask({ type: "allowed_tools", mode: "required", tools: [named] });
    await ask({ type: "web_search_preview" });
    await ask({ type: "file_search" });
    await ask(custom);
    await expect(ask({ type: "function", name: "none" })).rejects.toThrow(BadRequestError);
    const chat = {
      ...{ model, messages: [{ role: "user" as const, content: "go" }] },
      tools: [
        ...[weather, other].map(({ name }) => ({ type: "function" as const, function: { name } })),
        { type: "custom" as const, custom: { name: "write" } },
      ],
    };
    const allowed = [{ type: "function", function: { name: "other" } }];
    await openai.chat.completions.create({
      ...chat,
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: allowed } },
    });
    await openai.chat.completions.create({ ...chat, tool_choice: { type: "custom", custom: { name: "write" } } });
    expect(requests.map(({ tools, toolChoice }) => [tools.map(({ name }) => name).join(), toolChoice])).toEqual([
      ["other", "required"],
      ["get_weather,other,search_web", { tool: "search_web" }],
      ["get_weather,other,search_web", "auto"],
      ["get_weather,other,search_web", "auto"],
      ["other", "required"],
      ["get_weather,other", "auto"],
    ]);
  });

  test("histories may have calls of custom tools, in both APIs", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({ script: useTool(requests) });
    const openai = connect(instance);
    const user = { role: "user" as const, content: "go" };
    const { output_text } = await openai.responses.create({
      model,
      input: [
        user,
        { type: "custom_tool_call", call_id: "call_x", name: "write", input: "free text" },
        { type: "custom_tool_call_output", call_id: "call_x", output: "written" },
      ],
    });
    expect(output_text).toBe("written");
    const { choices } = await openai.chat.completions.create({
      model,
      messages: [
        user,
        {
          role: "assistant",
          tool_calls: [{ type: "custom", id: "call_x", custom: { name: "write", input: "free text" } }],
        },
        { role: "tool", tool_call_id: "call_x", content: "written too" },
      ],
    });
    expect(choices[0]?.message.content).toBe("written too");
    for (const { messages } of requests)
      expect(messages[1]).toMatchObject({ parts: [{ name: "write", input: { input: "free text" } }] });
  });

  test("our tools that need approval are not run for a program without a thread in the list", async () => {
    const instance = await startInstance({
      script: ({ messages }) => {
        const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
        return results.length === 0
          ? call({ name: "ask_user", input: '{"question":"Which?"}' })
          : say(results.map(({ text }) => text).join());
      },
    });
    const { choices } = await connect(instance).chat.completions.create({
      model,
      messages: [{ role: "user", content: "go" }],
      tools: [{ type: "stonechat", name: "ask_user" } as unknown as OpenAI.ChatCompletionTool],
    });
    expect(choices[0]?.message.content).toContain("Not run");
  });
});

describe("structured output and files", () => {
  const Event = z.object({ name: z.string(), day: z.number() });

  test("is passed to the model, parsed by the package, and checked by the server", async () => {
    const requests: ModelRequest[] = [];
    const answers = ['{"name":"Fair","day":3}', '{"name":"Fair","day":4}', '{"name":"Fair"}', "Sorry."];
    const instance = await startInstance({
      script: (request) => {
        requests.push(request);
        return say(answers[requests.length - 1] ?? "");
      },
    });
    const openai = connect(instance);
    const messages = [{ role: "user" as const, content: "When is the fair?" }];
    const chat = { model, messages, response_format: zodResponseFormat(Event, "event") };
    const completion = await openai.chat.completions.parse(chat);
    expect(completion.choices[0]?.message.parsed).toEqual({ name: "Fair", day: 3 });
    const text = { format: zodTextFormat(Event, "event") };
    const response = await openai.responses.parse({ model, input: "When?", text });
    expect(response.output_parsed).toEqual({ name: "Fair", day: 4 });
    expect(requests[0]?.settings?.format).toMatchObject({ name: "event", schema: { required: ["name", "day"] } });
    expect(requests[0]?.system).toContain("JSON Schema");
    await expect(openai.chat.completions.create(chat)).rejects.toMatchObject({ status: 502, code: "invalid_output" });
    await expect(openai.chat.completions.create(chat)).rejects.toThrow("it is not JSON");
  });

  test("a schema of json_object, as Instructor sends it, is the schema of the answer", async () => {
    const requests: ModelRequest[] = [];
    const answers = ['{"name":"Fair"}', '{"day":3}'];
    const instance = await startInstance({
      script: (request) => {
        requests.push(request);
        return say(answers[requests.length - 1] ?? "");
      },
    });
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const chat = {
      ...{ model, messages: [{ role: "user" as const, content: "When is the fair?" }] },
      response_format: { type: "json_object" as const, schema },
    };
    const { choices } = await connect(instance).chat.completions.create(chat);
    expect(choices[0]?.message.content).toBe('{"name":"Fair"}');
    expect(requests[0]?.settings?.format).toEqual({ schema });
    await expect(connect(instance).chat.completions.create(chat)).rejects.toMatchObject({ code: "invalid_output" });
  });

  test("pictures and files become attachments of the message", async () => {
    const requests: ModelRequest[] = [];
    const instance = await startInstance({
      script: (request) => {
        requests.push(request);
        return say("Seen.");
      },
    });
    const url = `data:image/png;base64,${toPng(8, 8).toString("base64")}`;
    const note = `data:text/plain;base64,${Buffer.from("The code is 4711.").toString("base64")}`;
    const openai = connect(instance);
    await openai.chat.completions.create({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url } },
            { type: "file", file: { file_data: note, filename: "note.txt" } },
          ],
        },
      ],
    });
    const sent = JSON.stringify(requests[0]?.messages);
    expect(sent).toContain("The code is 4711.");
    expect(requests[0]?.messages.some((message) => message.role === "user" && message.images?.length === 1)).toBe(true);
    const refused = openai.responses.create({
      model,
      input: [
        { role: "user", content: [{ type: "input_image", image_url: "http://127.0.0.1:9/a.png", detail: "auto" }] },
      ],
    });
    await expect(refused).rejects.toThrow(BadRequestError);
  });
});
