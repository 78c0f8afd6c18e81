import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import OpenAI, { BadRequestError } from "openai";
import { describe, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import type { ModelEvent, ModelFailure, ModelRequest, PromptMessage } from "../../protocol/model.ts";
import { createGate, say, startInstance, type Instance } from "../support/instance.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";

/** Clients send a request again after an error or a lost connection. The message is once in its thread, and once in the prompt. */
const model = "scripted/script";
const metadata = { thread: "notes" };
const messages = [{ role: "user" as const, content: "Order one pizza." }];

/** The server asks clients to wait for many seconds. */
const fetchWithoutPause: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const headers = new Headers(response.headers);
  headers.set("retry-after-ms", "1");
  return new Response(response.body, { status: response.status, headers });
};

const connect = ({ url }: Pick<Instance, "url">, more: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", fetch: fetchWithoutPause, ...more });

const fail = (code: ModelFailure["code"]): ModelEvent[] => [
  { type: "failed", failure: { code, fault: "request", text: `The model says ${code}.` } },
];

const readPrompt = (prompt: readonly PromptMessage[]): readonly string[] =>
  prompt.map((message) => (message.role === "user" ? message.text : message.role === "tool" ? "[tool]" : "A"));

/** Fails this many requests, and answers then. Each of them calls two models: a fallback, too. */
async function start(code: ModelFailure["code"], times: number, env: Readonly<Record<string, string>> = {}) {
  const requests: ModelRequest[] = [];
  const script = (request: ModelRequest): ModelEvent[] => {
    requests.push(request);
    return requests.length <= 2 * times ? fail(code) : say(`Answer ${requests.length}.`);
  };
  const instance = await startInstance({ script, env });
  return { instance, requests };
}

const readThread = async ({ client }: Instance, threadId: string): Promise<readonly string[]> => {
  const { messages: all } = await client.getThread({ params: { threadId } });
  return all.map(({ role, parts }) => (role === "user" ? textOf(parts) : "A"));
};

const expectOnce = (requests: readonly ModelRequest[]): void => {
  for (const request of requests) expect(readPrompt(request.messages)).toEqual(["Order one pizza."]);
};

const chat = (openai: OpenAI) => openai.chat.completions.create({ model, metadata, messages });

describe.each(["SQLite", "PostgreSQL"])("with default retries, on %s", (database) => {
  const isSkipped = database === "PostgreSQL" && !findPostgres();
  const openDatabase = async () =>
    database === "PostgreSQL" ? { STONECHAT_DATABASE_URL: await createDatabase() } : {};

  test.skipIf(isSkipped)("a message that was answered with 429 is once in a named thread", async () => {
    const { instance, requests } = await start("rate-limited", 2, await openDatabase());
    const { choices } = await chat(connect(instance));
    expect(choices[0]?.message.content).toBe("Answer 5.");
    expect(await readThread(instance, "notes")).toEqual(["Order one pizza.", "A"]);
    expect(requests).toHaveLength(5);
    expectOnce(requests);
  });

  test.skipIf(isSkipped)("a message that was answered with 429 is once in a conversation", async () => {
    const { instance, requests } = await start("rate-limited", 2, await openDatabase());
    const openai = connect(instance);
    const items = [{ type: "message" as const, role: "user" as const, content: "Hello." }];
    const { id: conversation } = await openai.conversations.create({ items });
    const response = await openai.responses.create({ model, conversation, input: "Order one pizza." });
    expect(response.output_text).toBe("Answer 5.");
    const { data } = await openai.conversations.items.list(conversation, { order: "asc" });
    expect(data.map((item) => item.type === "message" && item.role)).toEqual(["user", "user", "assistant"]);
    for (const request of requests) expect(readPrompt(request.messages)).toEqual(["Hello.", "Order one pizza."]);
    const stored = await openai.responses.retrieve(response.id);
    expect(stored).toMatchObject({ status: "completed", output_text: "Answer 5." });
    await openai.responses.create({ model, conversation, input: "Two drinks." });
    expect(readPrompt(requests.at(-1)!.messages)).toEqual(["Hello.", "Order one pizza.", "A", "Two drinks."]);
  });
});

test("a message is sent again by hand after all retries have failed, and by another model", async () => {
  const { instance, requests } = await start("rate-limited", 4);
  await expect(chat(connect(instance, { maxRetries: 2 }))).rejects.toMatchObject({ status: 429 });
  expect(requests).toHaveLength(6);
  await expect(chat(connect(instance, { maxRetries: 0 }))).rejects.toMatchObject({ status: 429 });
  const openai = connect(instance, { maxRetries: 0 });
  const { choices } = await openai.chat.completions.create({ model: "scripted/backup", metadata, messages });
  expect(choices[0]?.message.content).toBe("Answer 9.");
  expect(await readThread(instance, "notes")).toEqual(["Order one pizza.", "A"]);
  expectOnce(requests);
});

test("the AI SDK, which does not mark its retries, gets an answer to the same message", async () => {
  const { instance, requests } = await start("server-error", 2);
  const provider = createOpenAICompatible({
    ...{ name: "stonechat", baseURL: `${instance.url}/v1`, fetch: fetchWithoutPause },
    transformRequestBody: (body) => ({ ...body, metadata }),
  });
  const { text } = await generateText({ model: provider(model), prompt: "Order one pizza." });
  expect(text).toBe("Answer 5.");
  expect(await readThread(instance, "notes")).toEqual(["Order one pizza.", "A"]);
  expectOnce(requests);
});

test("a client that gives up waiting and retries leaves one message", async () => {
  const requests: ModelRequest[] = [];
  const script = async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    requests.push(request);
    yield { type: "start", key: "t", kind: "text" };
    yield { type: "delta", key: "t", text: "Begun" };
    if (requests.length <= 2) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "end", key: "t" };
    yield { type: "finish", reason: "stop", usage: null };
  };
  const instance = await startInstance({ script: script as never });
  const { choices } = await chat(connect(instance, { timeout: 500 }));
  expect(choices[0]?.message.content).toBe("Begun");
  expect(await readThread(instance, "notes")).toEqual(["Order one pizza.", "A"]);
  expectOnce(requests);
});

describe("a request that is sent again while its answer is written", () => {
  const startWaiting = async () => {
    const gate = createGate();
    const requests: ModelRequest[] = [];
    const script = async function* (request: ModelRequest): AsyncGenerator<ModelEvent> {
      requests.push(request);
      await gate.passed;
      yield* say(`Answer ${requests.length}.`);
    };
    return { gate, requests, instance: await startInstance({ script: script as never }) };
  };

  test("gets the same answer, which continues when the first connection is closed", async () => {
    const { gate, requests, instance } = await startWaiting();
    const openai = connect(instance, { maxRetries: 0 });
    const gone = new AbortController();
    const first = openai.responses.create({ model, metadata, input: "Once." }, { signal: gone.signal });
    await expect.poll(() => requests.length).toBe(1);
    const second = openai.responses.create({ model, metadata, input: "Once." });
    const listRequests = () => instance.server.store.read.apiRequestsOf("notes");
    await expect.poll(async () => (await listRequests()).length).toBe(2);
    gone.abort();
    await expect(first).rejects.toThrow(OpenAI.APIUserAbortError);
    gate.open();
    const response = await second;
    expect(response).toMatchObject({ status: "completed", output_text: "Answer 1." });
    expect((await openai.responses.retrieve(response.id)).output_text).toBe("Answer 1.");
    expect(await readThread(instance, "notes")).toEqual(["Once.", "A"]);
  });

  test("waits if it has other settings", async () => {
    const { gate, requests, instance } = await startWaiting();
    const openai = connect(instance, { maxRetries: 0 });
    const first = openai.responses.create({ model, metadata, input: "Once." });
    await expect.poll(() => requests.length).toBe(1);
    const second = openai.responses.create({ model, metadata, input: "Once.", temperature: 1.5 });
    gate.open();
    expect([(await first).output_text, (await second).output_text]).toEqual(["Answer 1.", "Answer 2."]);
  });
});

describe("after an answer that is complete", () => {
  const again = { headers: { "x-stainless-retry-count": "1" } };

  test("a marked retry gets the stored answer, and the same message without a mark is a new one", async () => {
    const { instance, requests } = await start("rate-limited", 0);
    const openai = connect(instance);
    const ask = (options = {}) => openai.chat.completions.create({ model, metadata, messages }, options);
    await ask();
    expect((await ask(again)).choices[0]?.message.content).toBe("Answer 1.");
    expect(requests).toHaveLength(1);
    expect((await ask()).choices[0]?.message.content).toBe("Answer 2.");
    expect((await ask(again)).choices[0]?.message.content).toBe("Answer 2.");
    expect(await readThread(instance, "notes")).toEqual(["Order one pizza.", "A", "Order one pizza.", "A"]);
  });

  test("a request without a thread or conversation is asked each time", async () => {
    const { instance, requests } = await start("rate-limited", 0);
    const openai = connect(instance);
    for (const options of [{}, again]) await openai.chat.completions.create({ model, messages }, options);
    expect(requests).toHaveLength(2);
  });
});

test("a marked retry without a name answers the stored message again", async () => {
  const { instance, requests } = await start("rate-limited", 2);
  const response = await connect(instance).responses.create({ model, input: "Order one pizza.", store: true });
  expect(response.output_text).toBe("Answer 5.");
  const { threads } = await instance.client.listThreads({ query: {} });
  expect(threads).toHaveLength(1);
  expectOnce(requests);
});

describe.each(["Idempotency-Key", "x-idempotency-key"])("the same %s", (name) => {
  const options = { headers: { [name]: "order-1" } };

  test("is the same request: its answer is made once, whole or streamed, at once or later", async () => {
    const { instance, requests } = await start("rate-limited", 0);
    const openai = connect(instance);
    const ask = () => openai.responses.create({ model, input: "Order one pizza.", store: true }, options);
    const both = await Promise.all([ask(), ask()]);
    const stream = openai.responses.stream({ model, input: "Order one pizza.", store: true }, options);
    const ids = [...both, await ask(), await stream.finalResponse()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect(requests).toHaveLength(1);
    const other = { headers: { [name]: "order-2" } };
    await openai.responses.create({ model, input: "Order one pizza.", store: true }, other);
    expect(requests).toHaveLength(2);
    const changed = openai.responses.create({ model, input: "Order two pizzas." }, options);
    await expect(changed).rejects.toThrow(BadRequestError);
    await expect(changed).rejects.toThrow("Use a new key.");
  });

  test("is answered again after a failure, under the same id", async () => {
    const { instance, requests } = await start("rate-limited", 2);
    const openai = connect(instance);
    const ask = () => openai.chat.completions.create({ model, metadata, messages }, options);
    const { id } = await ask();
    expect((await ask()).id).toBe(id);
    expect(await readThread(instance, "notes")).toEqual(["Order one pizza.", "A"]);
    expectOnce(requests);
    expect(requests).toHaveLength(5);
  });
});
