import OpenAI, { APIError } from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { call, createGate, mintId, say, startInstance, type Instance } from "../support/instance.ts";

/** Requests of OpenAI's API whose thread is used on the page at the same time, and answers that end early. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const user = (content: string) => ({ role: "user" as const, content });

/** Writes "begun", waits for the gate, and ends with "and ended" unless it is stopped. */
const pauseAt = (gate: ReturnType<typeof createGate>) =>
  async function* (_: unknown, __: number, signal: AbortSignal) {
    yield { type: "start" as const, key: "t", kind: "text" as const };
    yield { type: "delta" as const, key: "t", text: "begun " };
    await Promise.race([gate.passed, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    if (signal.aborted) return;
    yield { type: "delta" as const, key: "t", text: "and ended" };
    yield { type: "end" as const, key: "t" };
    yield { type: "finish" as const, reason: "stop" as const, usage: null };
  };

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const textOf = (events: readonly ResponseStreamEvent[]): string =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");

describe("while the answer is written", () => {
  test("the page shows another variant: it is streamed to its end, and can be resumed and read", async () => {
    const gate = createGate();
    let calls = 0;
    const paused = pauseAt(gate);
    const instance = await startInstance({
      script: (request, index, signal) => ((calls += 1) === 1 ? say("First.") : paused(request, index, signal)),
    });
    const openai = connect(instance);
    const metadata = { thread: "variants" };
    const params = { threadId: metadata.thread };
    await openai.responses.create({ model, input: "one", metadata });
    const before = (await instance.client.getThread({ params })).messages;
    const messages = [user("other"), { role: "assistant" as const, content: "No." }, user("two")];
    const stream = await openai.responses.create({ model, input: messages, metadata, stream: true });
    const events: ResponseStreamEvent[] = [];
    let resumed: Promise<readonly ResponseStreamEvent[]> | undefined;
    for await (const event of stream) {
      events.push(event);
      if (event.type !== "response.output_text.delta" || resumed) continue;
      const created = events[0]?.type === "response.created" ? events[0].response.id : "";
      const messageId = before[0]?.id ?? "";
      await instance.client.activateMessage({ params: { ...params, messageId }, body: { id: mintId() } });
      expect((await openai.responses.retrieve(created, { stream: false })).status).toBe("in_progress");
      const again = await openai.responses.retrieve(created, { stream: true });
      resumed = collect(again);
      gate.open();
    }
    for (const all of [events, (await resumed) ?? []]) {
      expect(textOf(all)).toBe("begun and ended");
      expect(all.at(-1)).toMatchObject({ type: "response.completed" });
    }
    expect((await instance.client.getThread({ params })).messages).toHaveLength(2);
  });

  test("a message that is sent at once ends it, and its request", async () => {
    const gate = createGate();
    const instance = await startInstance({ script: pauseAt(gate) });
    const metadata = { thread: "steered" };
    const stream = await connect(instance).chat.completions.create({
      ...{ model, metadata, stream: true },
      messages: [user("go")],
    });
    const reasons: unknown[] = [];
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content === "begun ") {
        await instance.send(metadata.thread, "Stop that.", { mode: "steer" });
        gate.open();
      }
      reasons.push(chunk.choices[0]?.finish_reason);
    }
    expect(reasons.at(-1)).toBe("length");
  });

  test("an answer stopped on the page has finish_reason length", async () => {
    const instance = await startInstance({ script: pauseAt(createGate()) });
    const openai = connect(instance);
    const stop = async (threadId: string) => {
      const follower = instance.follow(threadId);
      await follower.until(({ messages }) =>
        (messages.at(-1)?.parts ?? []).some((part) => part.kind === "text" && part.text === "begun "),
      );
      await instance.client.stopRun({ params: { threadId }, body: { id: mintId() } });
    };
    const create = (thread: string) =>
      openai.chat.completions.create({ model, messages: [user("go")], metadata: { thread } });
    await instance.start({ id: "stopped" });
    const [{ choices }] = await Promise.all([create("stopped"), stop("stopped")]);
    expect(choices).toMatchObject([{ finish_reason: "length", message: { content: "begun " } }]);
    await instance.start({ id: "again" });
    const respond = openai.responses.create({ model, input: "go", metadata: { thread: "again" } });
    const [response] = await Promise.all([respond, stop("again")]);
    expect(response.status).toBe("cancelled");
  });
});

describe("an answer that does not match its format", () => {
  test("is a failed response: streamed, in the background, and when it is read later", async () => {
    const instance = await startInstance({ script: () => say('{"name":1}') });
    const openai = connect(instance);
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const text = { format: { type: "json_schema" as const, name: "answer", schema } };
    const failed = { status: "failed", error: { code: "invalid_output" } };
    const stream = await openai.responses.create({ model, input: "go", text, stream: true });
    const events = await collect(stream);
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: failed });
    const { id } = await openai.responses.create({ model, input: "go", text, background: true });
    await collect(await openai.responses.retrieve(id, { stream: true }));
    expect(await openai.responses.retrieve(id, { stream: false })).toMatchObject(failed);
    const object = { format: { type: "json_object" as const } };
    expect((await openai.responses.create({ model, input: "go", text: object })).status).toBe("completed");
    const chat = openai.chat.completions.create({
      ...{ model, messages: [user("go")], stream: true },
      response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    });
    await expect(chat.then((chunks) => collect(chunks))).rejects.toThrow(APIError);
  });
});

describe("cancelling a response", () => {
  test("that is complete does not stop the answer that follows", async () => {
    const gate = createGate();
    const paused = pauseAt(gate);
    const instance = await startInstance({
      script: (request, index, signal) =>
        request.messages.at(-1)?.role === "tool"
          ? paused(request, index, signal)
          : call({ name: "look", input: "{}", id: "call_a" }),
    });
    const openai = connect(instance);
    const tools = [{ type: "function" as const, name: "look", parameters: {}, strict: false }];
    const first = await openai.responses.create({ model, tools, input: "go", store: true });
    expect((await openai.responses.cancel(first.id)).status).toBe("completed");
    const next = { model, tools, previous_response_id: first.id, background: true, stream: true as const };
    const input = [{ type: "function_call_output" as const, call_id: "call_a", output: "red" }];
    const events: ResponseStreamEvent[] = [];
    for await (const event of await openai.responses.create({ ...next, input })) {
      events.push(event);
      if (event.type !== "response.output_text.delta" || textOf(events) !== "begun ") continue;
      expect((await openai.responses.cancel(first.id)).status).toBe("completed");
      gate.open();
    }
    expect(events.at(-1)).toMatchObject({ type: "response.completed" });
  });
});
