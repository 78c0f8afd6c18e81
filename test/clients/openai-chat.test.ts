import type { APIError } from "openai";
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from "openai";
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Script } from "../../server/model/scripted.ts";
import { createGate, say, startInstance, type Instance } from "../support/instance.ts";

/** The official package against the real server: chat completions. */
const MODEL = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">, apiKey = "none"): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

/** A script that remembers every request. */
function record(script: Script): { readonly requests: ModelRequest[]; readonly script: Script } {
  const requests: ModelRequest[] = [];
  const recorded: Script = (request, index, signal) => {
    requests.push(request);
    return script(request, index, signal);
  };
  return { requests, script: recorded };
}

const listThreads = async ({ client }: Instance) => (await client.listThreads({ query: {} })).threads;

describe("chat completions", () => {
  test("lists profiles and models, and finds one by its id", async () => {
    const instance = await startInstance();
    const openai = connect(instance);
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(["stonechat/research", MODEL, "offline/stone"]));
    expect(await openai.models.retrieve("stonechat/research")).toMatchObject({
      object: "model",
      owned_by: "stonechat",
    });
    const whole = await openai.models.retrieve(MODEL);
    expect(await openai.models.retrieve("script")).toEqual({ ...whole, id: "script" });
    await expect(openai.models.retrieve("nobody/nothing")).rejects.toThrow(NotFoundError);
  });

  test("a plain model gets exactly the caller's messages, and its answer has usage and ids", async () => {
    const { requests, script } = record(() => say("Hello there."));
    const instance = await startInstance({ script });
    const completion = await connect(instance).chat.completions.create({
      model: MODEL,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      temperature: 0.2,
      max_completion_tokens: 50,
      seed: 7,
      stop: ["END"],
    });
    expect(completion.id).toMatch(/^chatcmpl-/);
    expect(completion.choices).toMatchObject([
      { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there." } },
    ]);
    expect(completion.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      system: "Be brief.",
      tools: [],
      maxOutputTokens: 50,
      settings: { temperature: 0.2, seed: 7, stop: ["END"], maxOutputTokens: 50 },
    });
    expect(requests[0]?.messages.map(({ breakpoint: _, ...message }) => message)).toEqual([
      { role: "user", text: "Hi" },
    ]);
    expect(await listThreads(instance)).toEqual([]);
  });

  test("streams the same text, and the usage if it is asked for", async () => {
    const instance = await startInstance();
    const stream = await connect(instance).chat.completions.create({
      model: MODEL,
      messages: [{ role: "user", content: "think 3 words then say one two three" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("")).toBe("one two three");
    expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  test("a conversation that the caller sends again continues its thread, and an edited one becomes a branch", async () => {
    const { requests, script } = record(({ messages }) => say(`Answer ${messages.length}.`));
    const instance = await startInstance({ script });
    const openai = connect(instance);
    const ask = async (...texts: readonly string[]): Promise<string> => {
      const messages = texts.map((content, index) => ({ role: index % 2 ? "assistant" : "user", content }) as const);
      const { choices } = await openai.chat.completions.create({ model: MODEL, messages, store: true });
      return choices[0]?.message.content ?? "";
    };
    const first = await ask("one");
    const second = await ask("one", first, "two");
    await ask("one", first, "two", second, "three");
    expect(await listThreads(instance)).toMatchObject([{ messageCount: 6 }]);
    await ask("one", first, "other two");
    const [thread, ...others] = await listThreads(instance);
    expect(others).toEqual([]);
    const { messages } = await instance.client.getThread({ params: { threadId: thread!.id } });
    expect(messages.map(({ parts }) => parts.flatMap((part) => ("text" in part ? [part.text] : [])).join(""))).toEqual([
      "one",
      "Answer 1.",
      "other two",
      "Answer 3.",
    ]);
    expect(messages[2]?.variants).toHaveLength(2);
    // An answer that this server never gave: the caller's conversation is sent unchanged, in a new thread.
    await ask("one", "Something else.", "two");
    expect(await listThreads(instance)).toHaveLength(2);
    expect(requests.at(-1)?.messages.map((message) => ("text" in message ? message.text : message.role))).toEqual([
      "one",
      "assistant",
      "two",
    ]);
  });

  test("two requests that continue the same answer at once each get their own context", async () => {
    const gate = createGate();
    const { requests, script } = record(({ messages }) =>
      messages.length === 1
        ? say("First.")
        : (async function* () {
            await gate.passed;
            yield* say("Second.");
          })(),
    );
    const instance = await startInstance({ script });
    const openai = connect(instance);
    const ask = (content: string) =>
      openai.chat.completions.create({
        model: MODEL,
        messages: [
          { role: "user", content: "one" },
          { role: "assistant", content: "First." },
          { role: "user", content },
        ],
      });
    await openai.chat.completions.create({ model: MODEL, messages: [{ role: "user", content: "one" }] });
    const both = [ask("left"), ask("right")];
    await expect.poll(() => requests.length).toBe(3);
    gate.open();
    await Promise.all(both);
    for (const { messages } of requests.slice(1)) expect(messages).toHaveLength(3);
  });

  test("metadata.thread names a thread that stays in the list", async () => {
    const { requests, script } = record(() => say("Noted."));
    const instance = await startInstance({ script });
    const openai = connect(instance);
    const ask = (content: string) =>
      openai.chat.completions.create({
        model: MODEL,
        messages: [{ role: "user", content }],
        metadata: { thread: "my-notes" },
      });
    await ask("remember the blue door");
    await ask("which door?");
    expect(await listThreads(instance)).toMatchObject([{ id: "my-notes", title: "my-notes", messageCount: 4 }]);
    expect(requests[1]?.messages).toHaveLength(3);
  });

  test("a profile is a model name: its instructions come before the caller's", async () => {
    const { requests, script } = record(() => say("Found."));
    const instance = await startInstance({ script });
    await connect(instance).chat.completions.create({
      model: "stonechat/research",
      messages: [
        { role: "developer", content: "Answer in French." },
        { role: "user", content: "Who?" },
      ],
    });
    expect(requests[0]?.system).toMatch(/^You are Stonechat, a researcher.*\n\nAnswer in French\.$/s);
    expect(requests[0]?.tools.map(({ name }) => name)).toContain("search_web");
  });

  test("closing the connection stops the answer and keeps its text", async () => {
    const instance = await startInstance();
    const controller = new AbortController();
    const stream = await connect(instance).chat.completions.create(
      {
        model: MODEL,
        messages: [{ role: "user", content: "say begun then hang" }],
        metadata: { thread: "stopped" },
        stream: true,
      },
      { signal: controller.signal },
    );
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) break;
    }
    controller.abort();
    const ended = await instance.follow("stopped").ended();
    expect(ended.outcome).toBe("stopped");
  });

  test("errors have the classes of the package", async () => {
    const instance = await startInstance({ env: { STONECHAT_TOKEN: "secret-token-of-this-test" } });
    const user = (content: string) => ({ model: MODEL, messages: [{ role: "user" as const, content }] });
    await expect(connect(instance, "wrong").chat.completions.create(user("hi"))).rejects.toThrow(AuthenticationError);
    const openai = connect(instance, "secret-token-of-this-test");
    await expect(openai.chat.completions.create({ ...user("hi"), model: "no/such" })).rejects.toThrow(NotFoundError);
    await expect(openai.chat.completions.create({ ...user("hi"), messages: [] })).rejects.toThrow(BadRequestError);
    const limited = await openai.chat.completions
      .create(user("fail 429 9 times\nbackup: fail 429 9 times"))
      .catch((error) => error as APIError);
    expect(limited).toBeInstanceOf(RateLimitError);
    expect((limited as APIError).headers?.get("retry-after")).toBe("20");
    expect((limited as APIError).code).toBe("rate_limit_exceeded");
    const streamed = openai.chat.completions.create({
      ...user("fail 429 9 times\nbackup: fail 429 9 times"),
      stream: true,
    });
    await expect(streamed).rejects.toThrow(RateLimitError);
  });
});
