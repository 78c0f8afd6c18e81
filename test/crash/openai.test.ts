import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, onTestFinished, test } from "vitest";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { startNodes } from "./nodes/two-nodes.ts";

/** Responses of OpenAI's API survive the death of the process that writes or streams them. */
const WORDS = 60;
const input = `say ${WORDS} words every 20ms`;
const whole = Array.from({ length: WORDS }, (_, n) => `w${n + 1}`).join(" ");
const model = "scripted/script";

const connect = ({ url }: Pick<ServerProcess, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

type ReceivedEvents = {
  readonly events: ResponseStreamEvent[];
  readonly text: () => string;
  readonly last: () => number;
};

function createReceived(): ReceivedEvents {
  const events: ResponseStreamEvent[] = [];
  return {
    events,
    text: () => events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join(""),
    last: () => events.at(-1)?.sequence_number ?? -1,
  };
}

/** Reads until `isEnough`, or until the stream ends or is cut off. */
async function readSome(stream: AsyncIterable<ResponseStreamEvent>, into: ReceivedEvents, isEnough: () => boolean) {
  try {
    for await (const event of stream) {
      into.events.push(event);
      if (isEnough()) return;
    }
  } catch {
    // The server was killed.
  }
}

async function begin(server: ServerProcess, into: ReceivedEvents): Promise<string> {
  const stream = await connect(server).responses.create({ model, input, background: true, stream: true });
  await readSome(stream, into, () => into.text().split(" ").length > 5);
  const [created] = into.events;
  return created?.type === "response.created" ? created.response.id : "";
}

const resume = async (server: ServerProcess, id: string, into: ReceivedEvents) => {
  const query = { stream: true as const, starting_after: into.last() };
  await readSome(await connect(server).responses.retrieve(id, query), into, () => false);
};

const expectWhole = (received: ReceivedEvents): void => {
  expect(received.text()).toBe(whole);
  const types = received.events.map(({ type }) => type);
  expect(types.filter((type) => type === "response.output_item.added")).toHaveLength(1);
  expect(received.events.at(-1)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
  const numbers = received.events.map((event) => event.sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
};

describe("a response that streams while its server is killed", () => {
  test("continues after a restart with exactly the rest, and the same final response", async () => {
    const server = await startServer();
    onTestFinished(server.close);
    const received = createReceived();
    const id = await begin(server, received);
    await server.kill();
    await server.restart();
    await resume(server, id, received);
    expectWhole(received);
    const stored = await connect(server).responses.retrieve(id);
    expect(stored).toMatchObject({ status: "completed", output_text: whole });
  });

  test("keeps a call of the caller's tool, and its result continues the answer", async () => {
    const server = await startServer();
    onTestFinished(server.close);
    const tool = { type: "function" as const, name: "look", parameters: { type: "object" }, strict: false };
    const ask = { model, tools: [tool], store: true };
    const asked = await connect(server).responses.create({ ...ask, input: "call look {} then say results" });
    const [item] = asked.output;
    if (item?.type !== "function_call") throw new Error("The model did not call the tool.");
    await server.kill();
    await server.restart();
    const answered = await connect(server).responses.create({
      ...{ ...ask, previous_response_id: asked.id },
      input: [{ type: "function_call_output", call_id: item.call_id, output: "a blue door" }],
    });
    expect(answered.output_text).toBe("a blue door");
  });

  test.skipIf(!findPostgres())("continues on another node", async () => {
    const nodes = await startNodes(await createDatabase());
    onTestFinished(nodes.close);
    const [first, second] = nodes.all;
    const received = createReceived();
    const id = await begin(first, received);
    await first.kill();
    await resume(second, id, received);
    expectWhole(received);
  });
});

test("a request that is not streamed and is sent again after a restart has one message and one answer", async () => {
  const server = await startServer();
  onTestFinished(server.close);
  const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 8 });
  const messages = [{ role: "user" as const, content: input }];
  const asked = openai.chat.completions.create({ model, metadata: { thread: "notes" }, messages });
  const isWriting = async () => {
    const { messages: all } = await server.client
      .getThread({ params: { threadId: "notes" } })
      .catch(() => ({ messages: [] }));
    return all.length;
  };
  await expect.poll(isWriting).toBe(2);
  await server.kill();
  await server.restart();
  expect((await asked).choices[0]?.message.content).toBe(whole);
  expect(await isWriting()).toBe(2);
});
