import { request } from "node:http";
import OpenAI, { APIError } from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { AnswerFailed } from "../../server/surfaces/openai/openai.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import { createGate, say, startInstance, type Instance } from "../support/instance.ts";
import { listenTestApp } from "../security/test-app.ts";

/** Connections of OpenAI's API: streams that fail, keys that end while an answer is written, and large bodies. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">, apiKey = "none"): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

const messages = [{ role: "user" as const, content: "Hi" }];

/** Writes a word, waits for the gate, and ends. */
const pauseAt = (gate: ReturnType<typeof createGate>) =>
  async function* () {
    yield { type: "start" as const, key: "t", kind: "text" as const };
    yield { type: "delta" as const, key: "t", text: "begun" };
    await gate.passed;
    yield { type: "end" as const, key: "t" };
    yield { type: "finish" as const, reason: "stop" as const, usage: null };
  };

describe("a stream that fails after its status was sent ends with an error", () => {
  test("as a line of chat completions, and as an event of responses", async () => {
    const instance = await startInstance();
    const openai = connect(instance);
    const input = "say begun then hang";
    const remove = (threadId: string) => instance.client.deleteThread({ params: { threadId } });
    const chat = await openai.chat.completions.create({
      ...{ model, metadata: { thread: "first" }, stream: true },
      messages: [{ role: "user", content: input }],
    });
    const failed = (async () => {
      for await (const chunk of chat) if (chunk.choices[0]?.delta.content) await remove("first");
    })();
    await expect(failed).rejects.toThrow(APIError);
    await expect(failed).rejects.toMatchObject({ code: "not_found" });

    const events: ResponseStreamEvent[] = [];
    const metadata = { thread: "second" };
    const response = await openai.responses.create({ model, input, metadata, stream: true });
    const read = (async () => {
      for await (const event of response) {
        events.push(event);
        if (event.type === "response.output_text.delta") await remove("second");
      }
    })();
    const error = { type: "error", code: "not_found", message: "Not found.", param: null };
    await expect(read).rejects.toMatchObject({ code: "not_found", error });
    const [last] = events.slice(-1);
    await expect(read).rejects.toMatchObject({ error: { sequence_number: (last?.sequence_number ?? 0) + 1 } });
  });

  test("also when only a heartbeat was sent before", async () => {
    const gate = createGate();
    const failure = { status: 503, error: { message: "Busy.", type: "server_error", param: null, code: "busy" } };
    // oxlint-disable-next-line require-yield
    async function* events(): AsyncGenerator<string> {
      await gate.passed;
      throw new AnswerFailed(failure);
    }
    const createChat = async () => ({
      events: events(),
      toFailure: (error: object) => `data: ${JSON.stringify(error)}\n\n`,
    });
    const { url, app } = await listenTestApp({ heartbeatMs: 1, openAi: { createChat } as never });
    try {
      const stream = await connect({ url }).chat.completions.create({ model, messages, stream: true }).asResponse();
      gate.open();
      expect(await stream.text()).toMatch(/^(: \n\n)*data: .*"message":"Busy\.".*\n\n$/);
    } finally {
      await app.close(0);
    }
  });
});

describe("when the model's connection breaks and the answer begins again", () => {
  const cut = (text: string, isEnded = false): ModelEvent[] => [
    { type: "start", key: "t", kind: "text" },
    ...(text === "" ? [] : [{ type: "delta" as const, key: "t", text }]),
    ...(isEnded ? [{ type: "end" as const, key: "t" }] : []),
    { type: "failed", failure: { code: "cut", fault: "provider", text: "The connection broke." } },
  ];
  /** The second attempt begins when the first text was read. */
  const startBroken = async (first: readonly ModelEvent[]) => {
    const read = createGate();
    let calls = 0;
    const instance = await startInstance({
      script: async function* () {
        calls += 1;
        if (calls > 1) return yield* say("The whole answer.");
        for (const event of first) {
          if (event.type === "failed") await read.passed;
          yield event;
        }
      },
    });
    return { openai: connect(instance), read };
  };
  const code = "answer_restarted";

  test.each([false, true])("a stream that has sent text ends with an error (text ended: %s)", async (isEnded) => {
    const chats = await startBroken(cut("The who", isEnded));
    const chat = await chats.openai.chat.completions.create({ model, messages, stream: true });
    let text = "";
    const readChat = (async () => {
      for await (const chunk of chat) {
        text += chunk.choices[0]?.delta.content ?? "";
        if (text !== "") chats.read.open();
      }
    })();
    await expect(readChat).rejects.toMatchObject({ code });
    expect(text).toBe("The who");

    const { openai, read } = await startBroken(cut("The who", isEnded));
    const stream = await openai.responses.create({ model, input: "Hi", stream: true });
    const events: ResponseStreamEvent[] = [];
    const readAll = (async () => {
      for await (const event of stream) {
        events.push(event);
        if (event.type === "response.output_text.delta") read.open();
      }
    })();
    await expect(readAll).rejects.toMatchObject({ code });
    const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
    expect(deltas.join("")).toBe("The who");
    const [created] = events;
    const id = created?.type === "response.created" ? created.response.id : "";
    await expect.poll(async () => (await openai.responses.retrieve(id)).status).toBe("completed");
    const resume = async (after: number) => {
      const all: ResponseStreamEvent[] = [];
      const rest = await openai.responses.retrieve(id, { stream: true, starting_after: after });
      for await (const event of rest) all.push(event);
      return all;
    };
    const [first, second, ...sent] = events;
    expect([first?.type, second?.type]).toEqual(["response.created", "response.in_progress"]);
    for (const { type, sequence_number: after } of sent)
      await expect(resume(after), type).rejects.toMatchObject({ code });
    expect((await resume(0)).at(-1)?.type).toBe("response.completed");
    const rest = await resume(1);
    expect(rest[0]).toMatchObject({ type: "response.output_item.added", output_index: 0 });
    for (const [index, event] of rest.entries())
      expect((await resume(event.sequence_number)).map(({ type }) => type)).toEqual(
        rest.slice(index + 1).map(({ type }) => type),
      );
  });

  test("a stream that has sent nothing continues, and a whole answer has only its last attempt", async () => {
    const broken = async () => {
      const { openai, read } = await startBroken(cut(""));
      read.open();
      return openai;
    };
    const stream = (await broken()).responses.stream({ model, input: "Hi" });
    const final = await stream.finalResponse();
    expect(final).toMatchObject({ status: "completed", output_text: "The whole answer." });
    expect(final.output).toHaveLength(1);
    const { openai, read } = await startBroken(cut("The who"));
    read.open();
    const { choices } = await openai.chat.completions.create({ model, messages });
    expect(choices[0]?.message.content).toBe("The whole answer.");
  });
});

test("an answer continues when the key of its request is revoked", async () => {
  const gate = createGate();
  const instance = await startInstance({ script: pauseAt(gate) });
  const { token } = await instance.client.createKey({ body: { id: "k", name: "App", scopes: ["read", "chat"] } });
  const metadata = { thread: "of-a-revoked-key" };
  const stream = await connect(instance, token).chat.completions.create({ model, messages, metadata, stream: true });
  const read = (async () => {
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) await instance.client.revokeKey({ params: { keyId: "k" } });
    }
  })();
  await expect(read).rejects.toThrow();
  gate.open();
  expect((await instance.follow(metadata.thread).ended()).outcome).toBe("done");
});

describe("large bodies", () => {
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: "x".repeat(990_000) }],
    pad: "y".repeat(20_000),
  });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const open = (url: string) => {
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", headers });
    const status = new Promise<number>((resolve, reject) => {
      sent.on("response", (response) => resolve(response.statusCode ?? 0));
      sent.on("error", reject);
    });
    sent.flushHeaders();
    return { sent, status };
  };

  test("of more than four requests at once are refused before they are read", async () => {
    const { url } = await startInstance({ script: () => say("Read.") });
    const all = Array.from({ length: 5 }, () => open(url));
    expect(await Promise.race(all.map(({ status }) => status))).toBe(429);
    for (const { sent, status } of all) {
      status.catch(() => {});
      sent.destroy();
    }
  });

  test("are no longer counted when their message is stored", async () => {
    const gate = createGate();
    const { url } = await startInstance({ script: pauseAt(gate) });
    let stored = 0;
    const replies = [];
    for (let n = 0; n < 6; n += 1) {
      const reply = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: body.replace("{", '{"stream":true,'),
      });
      if (reply.status === 200) stored += 1;
      replies.push(reply.text());
    }
    expect(stored).toBe(6);
    gate.open();
    await Promise.all(replies);
  });
});
