import { expect, onTestFinished, test } from "vitest";
import { renderSentence, say, type Sentence } from "../../protocol/sentences.ts";
import ar from "../../web/languages/ar.ts";
import de from "../../web/languages/de.ts";
import es from "../../web/languages/es.ts";
import fr from "../../web/languages/fr.ts";
import ja from "../../web/languages/ja.ts";
import { healthyReply } from "../support/chat-wire.ts";
import { findFreePort } from "../support/free-port.ts";
import { startInstance } from "../support/instance.ts";
import { createProviderServer, type Fault, type RecordedReply } from "../support/provider-server.ts";

const refuse = (status: number, message: string, headers: Record<string, string> = {}): RecordedReply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error: { message } }),
});

const cut: Fault = {
  name: "cut",
  respond: (_call, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.flushHeaders();
    setImmediate(() => res.destroy());
  },
};

const page: RecordedReply = {
  headers: { "content-type": "text/html" },
  body: "<!DOCTYPE html><html><head><title>Welcome</title></head></html>",
};

/** Failures, each with the names of the sentences of its reason. */
const failures: readonly (readonly [string, Fault | RecordedReply | null, readonly string[]])[] = [
  ["401", refuse(401, "Bad key"), ["unauthorized"]],
  ["402", refuse(402, "Pay first"), ["no-credit", "quote"]],
  ["404", refuse(404, "What model?"), ["not-found", "quote"]],
  ["429", refuse(429, "Slow down", { "retry-after": "300" }), ["rate-limited", "wait-minutes", "quote"]],
  ["500", refuse(500, "It fell over"), ["server-error", "quote", "tried"]],
  ["503", refuse(503, "Too busy"), ["overloaded", "quote", "tried"]],
  ["a cut connection", cut, ["connection-cut", "tried"]],
  ["a refused connection", null, ["not-listening", "tried"]],
  ["an HTML page", page, ["garbled", "quote", "tried"]],
];

const startWith = async (url: string) =>
  startInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "compatible/m",
      STONECHAT_COMPATIBLE_URL: url,
      STONECHAT_COMPATIBLE_MODELS: "m",
      STONECHAT_SUMMARY_MODELS: "none/none",
    },
  });

/** The text in a language; fails if one of its sentences is missing there. */
const toTexts = (sentences: readonly Sentence[]): readonly string[] =>
  [ar, de, es, fr, ja].map((catalog) =>
    sentences.map((one) => renderSentence(one, catalog.sentences, String) ?? `No ${one.name}.`).join(" "),
  );

test.each(failures)("the reason of a run that failed with %s is made of sentences", async (_name, reply, names) => {
  const provider = await createProviderServer({
    next: ({ path }) => (path.endsWith("/models") || reply === null ? { status: 404, body: "" } : reply),
  });
  onTestFinished(provider.close);
  const url = reply === null ? `http://127.0.0.1:${await findFreePort()}` : provider.url;
  const { start, send, follow, client } = await startWith(url);
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Hello");
  const { reason, outcome } = await live.ended(1);
  expect(outcome).toBe("failed");
  expect(reason?.sentences?.map(({ name }) => name)).toEqual(names);
  expect(say(...(reason?.sentences ?? [])).text).toBe(reason?.text);
  for (const text of toTexts(reason?.sentences ?? [])) expect(text).not.toMatch(/\bNo [a-z-]+\./);

  const { messages } = await client.getThread({ params: { threadId } });
  const notices = messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "notice"));
  expect(notices.length).toBe(names.includes("tried") ? 2 : 0);
  for (const { text, sentences = [] } of notices) {
    expect(sentences.at(-1)?.name).toMatch(/^next-same/);
    expect(say(...sentences).text).toBe(text);
  }
});

test("an answer that succeeds after a failure keeps its notice with its sentences", async () => {
  let calls = 0;
  const provider = await createProviderServer({
    next: ({ path }) => {
      if (path.endsWith("/models")) return { status: 404, body: "" };
      calls += 1;
      return calls === 1 ? refuse(500, "It fell over") : healthyReply("Here I am.");
    },
  });
  onTestFinished(provider.close);
  const { start, send, follow, client } = await startWith(provider.url);
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Hello");
  expect((await live.ended(1)).outcome).toBe("done");
  const { messages } = await client.getThread({ params: { threadId } });
  const notice = messages.flatMap(({ parts }) => parts).find((part) => part.kind === "notice");
  expect(notice).toMatchObject({
    text: expect.stringContaining("It said: “It fell over” Trying again."),
    sentences: [
      { name: "server-error", values: [expect.stringContaining("127.0.0.1")] },
      { name: "quote", values: ["It fell over"] },
      { name: "next-same", values: [] },
    ],
  });
});

test.each([
  [401, "test-rejects-key"],
  [402, "test-no-credit"],
  [404, "test-address"],
  [429, "test-limited"],
  [500, "test-status"],
] as const)("the test of a key that got status %i is a sentence", async (status, name) => {
  const provider = await createProviderServer({ next: () => refuse(status, "No") });
  onTestFinished(provider.close);
  const { client } = await startInstance({ env: { OPENAI_BASE_URL: `${provider.url}/v1` } });
  const params = { provider: "openai" } as const;
  await client.setProviderKey({ params, body: { key: "sk-basalt-0123456789" } });
  const { lastTest } = (await client.testProvider({ params, body: {} })).provider;
  expect(lastTest?.sentences?.map((one) => one.name)).toEqual([name]);
  expect(say(...(lastTest?.sentences ?? [])).text).toBe(lastTest?.text);
  const stored = (await client.listProviders({})).providers.find(({ id }) => id === "openai")?.lastTest;
  expect(stored).toEqual(lastTest);
});

test("a model without a key says what it needs in a sentence", async () => {
  const { client } = await startInstance({});
  const { models } = await client.listModels({});
  expect(models.find(({ provider }) => provider === "openai")).toMatchObject({
    available: false,
    unavailable: expect.stringContaining("OPENAI_API_KEY"),
    unavailableSentences: [{ name: "model-needs-key", values: ["OpenAI", "OPENAI_API_KEY"] }],
  });
});
