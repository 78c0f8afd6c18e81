import OpenAI, { NotFoundError } from "openai";
import type { Response as OpenAiResponse, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { createGate, say, startInstance, type Instance } from "../support/instance.ts";

/** The official package against the real server: responses and conversations. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

async function collect(events: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const all: ResponseStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const textOf = (events: readonly ResponseStreamEvent[]): string =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");

const lastResponse = (events: readonly ResponseStreamEvent[]): OpenAiResponse | undefined => {
  const last = events.at(-1);
  return last && "response" in last ? last.response : undefined;
};

describe("responses", () => {
  test("answers with items, usage and the fields of the request", async () => {
    const instance = await startInstance({ script: () => say("Hello.") });
    const openai = connect(instance);
    const response = await openai.responses.create({
      model,
      input: "Hi",
      instructions: "Be kind.",
      metadata: { a: "b" },
    });
    expect(response).toMatchObject({
      ...{ object: "response", status: "completed", output_text: "Hello.", instructions: "Be kind.", model },
      ...{ metadata: { a: "b" }, error: null, usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
      output: [{ type: "message", role: "assistant", status: "completed" }],
    });
    expect(response.id).toMatch(/^resp_/);
    expect(await openai.responses.retrieve(response.id)).toMatchObject({ id: response.id, output_text: "Hello." });
    const { data } = await openai.responses.inputItems.list(response.id);
    expect(data).toMatchObject([{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }]);
    expect(await openai.responses.delete(response.id)).toBeDefined();
    await expect(openai.responses.retrieve(response.id)).rejects.toThrow(NotFoundError);
    const hidden = await openai.responses.create({ model, input: "Hi", store: false });
    await expect(openai.responses.retrieve(hidden.id)).rejects.toThrow(NotFoundError);
  });

  test("streams every event in order, with our own tool calls as items", async () => {
    const instance = await startInstance();
    const input = 'think 3 words then say before then call calculate {"expression":"6*7"} then say after';
    const tools = [{ type: "stonechat", name: "calculate" }] as unknown as OpenAI.Responses.Tool[];
    const stream = connect(instance).responses.stream({ model, input, tools });
    const events = await collect(stream);
    const numbers = events.map((event) => event.sequence_number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(events.filter(({ type }) => type === "response.output_item.done")).toMatchObject([
      { output_index: 0, item: { type: "reasoning" } },
      { output_index: 1, item: { type: "message" } },
      { output_index: 2, item: { type: "mcp_call", name: "calculate", error: null } },
      { output_index: 3, item: { type: "message" } },
    ]);
    const final = await stream.finalResponse();
    expect(final).toMatchObject({ status: "completed", output_text: "beforeafter" });
    expect(final.output).toHaveLength(4);
    expect(textOf(events)).toBe("beforeafter");
  });

  test("a stream that is cut after any event continues with exactly the rest", async () => {
    const instance = await startInstance();
    const openai = connect(instance);
    const input = "think 2 words then say Grüße 日本語 👩‍🚀 and so on then call now {} then say the end é";
    const tools = [{ type: "stonechat", name: "now" }] as unknown as OpenAI.Responses.Tool[];
    const whole = await collect(await openai.responses.create({ model, input, tools, stream: true }));
    const { id } = lastResponse(whole)!;
    for (const [index, event] of whole.entries()) {
      const query = { stream: true as const, starting_after: event.sequence_number };
      const rest = await collect(await openai.responses.retrieve(id, query));
      const both = [...whole.slice(0, index + 1), ...rest];
      expect(textOf(both)).toBe(textOf(whole));
      expect(rest.filter(({ type }) => !type.endsWith(".delta"))).toEqual(
        whole.slice(index + 1).filter(({ type }) => !type.endsWith(".delta")),
      );
    }
  });

  test("works in the background: returned at once, and followed while it runs", async () => {
    const gate = createGate();
    const instance = await startInstance({
      script: async function* (_, __, signal) {
        yield { type: "start", key: "t", kind: "text" };
        yield { type: "delta", key: "t", text: "begun " };
        await gate.passed;
        yield { type: "delta", key: "t", text: "and ended" };
        if (signal.aborted) return;
        yield { type: "end", key: "t" };
        yield { type: "finish", reason: "stop", usage: null };
      },
    });
    const openai = connect(instance);
    const started = await openai.responses.create({ model, input: "go", background: true });
    expect(["queued", "in_progress"]).toContain(started.status);
    const stream = await openai.responses.retrieve(started.id, { stream: true });
    const seen: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (textOf(seen) === "begun ") gate.open();
    }
    expect(lastResponse(seen)).toMatchObject({ status: "completed" });
    expect(textOf(seen)).toBe("begun and ended");
    expect((await openai.responses.retrieve(started.id)).output_text).toBe("begun and ended");
  });

  test("cancels a response that runs", async () => {
    const instance = await startInstance();
    const openai = connect(instance);
    const started = await openai.responses.create({ model, input: "say begun then hang", background: true });
    await expect
      .poll(async () => (await openai.responses.retrieve(started.id, { stream: false })).status)
      .toBe("in_progress");
    const cancelled = await openai.responses.cancel(started.id);
    expect(cancelled.status).toBe("cancelled");
    expect((await openai.responses.retrieve(started.id)).status).toBe("cancelled");
  });

  test("previous_response_id continues the thread, and an older one branches", async () => {
    const instance = await startInstance({ script: ({ messages }) => say(`Answer ${messages.length}.`) });
    const openai = connect(instance);
    const ask = (input: string, previous?: OpenAiResponse) =>
      openai.responses.create({ model, input, store: true, previous_response_id: previous?.id ?? null });
    const first = await ask("one");
    const second = await ask("two", first);
    expect(second.output_text).toBe("Answer 3.");
    expect((await ask("three", second)).output_text).toBe("Answer 5.");
    expect((await ask("two again", first)).output_text).toBe("Answer 3.");
    expect((await instance.client.listThreads({ query: {} })).threads).toMatchObject([{ messageCount: 8 }]);
    await expect(ask("lost", { ...first, id: "resp_unknown" })).rejects.toThrow(NotFoundError);
  });

  test("a conversation is a thread with items", async () => {
    const instance = await startInstance({ script: ({ messages }) => say(`Answer ${messages.length}.`) });
    const openai = connect(instance);
    const conversation = await openai.conversations.create({
      metadata: { title: "Doors" },
      items: [{ type: "message", role: "user", content: "The door is blue." }],
    });
    expect(await openai.conversations.retrieve(conversation.id)).toMatchObject({ metadata: { title: "Doors" } });
    const one = await openai.responses.create({ model, input: "Which?", conversation: conversation.id });
    expect(one).toMatchObject({ output_text: "Answer 2.", conversation: { id: conversation.id } });
    await openai.conversations.items.create(conversation.id, { items: [{ role: "user", content: "And red." }] });
    expect((await openai.responses.create({ model, input: "Now?", conversation: conversation.id })).output_text).toBe(
      "Answer 5.",
    );
    const items = await openai.conversations.items.list(conversation.id, { order: "asc" });
    expect(items.data.map((item) => ("role" in item ? item.role : item.type))).toEqual([
      ...["user", "user", "assistant", "user", "user", "assistant"],
    ]);
    expect((await instance.client.listThreads({ query: {} })).threads).toMatchObject([{ title: "Doors" }]);
    await openai.conversations.delete(conversation.id);
    expect((await instance.client.listThreads({ query: {} })).threads).toEqual([]);
  });

  test("a failed answer is a failed response in a stream, and an error otherwise", async () => {
    const instance = await startInstance();
    const openai = connect(instance);
    const input = "fail 400 9 times\nbackup: fail 400 9 times";
    const events = await collect(await openai.responses.create({ model, input, stream: true }));
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed" } });
    await expect(openai.responses.create({ model, input })).rejects.toMatchObject({ status: 400 });
    const cut = await openai.responses.create({ model, input: "say some words then finish length" });
    expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
  });
});
