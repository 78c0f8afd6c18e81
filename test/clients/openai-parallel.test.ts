import OpenAI from "openai";
import { expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import { askInTurn } from "../../server/surfaces/openai/in-turn.ts";
import { say, startInstance, type Instance } from "../support/instance.ts";

/** Requests of OpenAI's API that are sent to the same thread at once. */
const model = "scripted/script";

const connect = ({ url }: Pick<Instance, "url">): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const five = [1, 2, 3, 4, 5].map((n) => `Question ${n}`);
const script = ({ messages }: { readonly messages: readonly object[] }) => say(`Answer ${messages.length}.`);
const answers = [1, 3, 5, 7, 9].map((n) => `Answer ${n}.`);

test("requests to a named thread at once are answered one after another", async () => {
  const openai = connect(await startInstance({ script }));
  const metadata = { thread: "notes" };
  const ask = (content: string) =>
    openai.chat.completions.create({ model, metadata, messages: [{ role: "user", content }] });
  const all = await Promise.all(five.map(ask));
  expect(all.map(({ choices }) => choices[0]?.message.content).toSorted()).toEqual(answers);
});

test("requests to a conversation at once are answered one after another, streamed and whole", async () => {
  const openai = connect(await startInstance({ script }));
  const { id: conversation } = await openai.conversations.create();
  const ask = async (input: string, n: number): Promise<string> => {
    const body = { model, input, conversation };
    if (n % 2 === 0) return (await openai.responses.create(body)).output_text;
    return (await openai.responses.stream(body).finalResponse()).output_text;
  };
  expect((await Promise.all(five.map(ask))).toSorted()).toEqual(answers);
  const { data } = await openai.conversations.items.list(conversation, { limit: 100 });
  expect(data).toHaveLength(10);
});

test("a request waits while the thread answers, and ends with its client", async () => {
  const instance = await startInstance();
  const openai = connect(instance);
  const metadata = { thread: "busy" };
  const running = await openai.responses.create({ model, metadata, input: "say begun then hang", background: true });
  await expect.poll(async () => (await openai.responses.retrieve(running.id)).status).toBe("in_progress");
  const gone = new AbortController();
  const abandoned = openai.responses.create({ model, metadata, input: "say lost" }, { signal: gone.signal });
  const waiting = openai.responses.create({ model, metadata, input: "say next" });
  gone.abort();
  await expect(abandoned).rejects.toThrow(OpenAI.APIUserAbortError);

  const tried: number[] = [];
  const attempt = async (): Promise<never> => {
    tried.push(tried.length);
    throw new ApiError("conflict", "Changed.");
  };
  const watch = () => ({ resume: () => {}, close: () => {} });
  const context = { read: instance.server.store.read, watch, waitMs: 1 };
  const refused = askInTurn(context, "busy", new AbortController().signal, attempt);
  await expect(refused).rejects.toMatchObject({ code: "conflict", retryAfterSeconds: 2 });
  expect(tried).toEqual([0]);

  await openai.responses.cancel(running.id);
  expect((await waiting).output_text).toBe("next");
  expect((await instance.client.getThread({ params: { threadId: "busy" } })).thread.messageCount).toBe(4);
});
