import { expect, onTestFinished, test } from "vitest";
import { followStream, mintId } from "../support/instance.ts";
import { healthyCall, healthyReply } from "../support/chat-wire.ts";
import { createProviderServer, type ProviderCall, type ProviderServer } from "../support/provider-server.ts";
import { until } from "../support/server/until.ts";
import { startServer } from "../support/server-process.ts";

/** Every message of the thread contains this text, so any copy of the thread would, too. */
const marker = "granite-7f3a";
const long = `${marker} ${"Granite is grey and heavy. ".repeat(160)}`;
const freeModel = "openrouter/deepseek/deepseek-r1-0528:free";

const isSummary = ({ text }: ProviderCall): boolean => text.includes("You summarize part of a conversation");
const isTitle = ({ text }: ProviderCall): boolean => text.includes("You write the title of a conversation");
const summary = JSON.stringify({ overview: `They talk about ${marker}.`, keyPoints: ["Granite is heavy"] });
const modelList = {
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ data: [{ id: "llama" }] }),
};

type Setup = Awaited<ReturnType<typeof setUp>>;

/** A server with keys for all providers, which are canaries, and a model server on loopback. */
async function setUp(env: Readonly<Record<string, string>> = {}) {
  let isBroken = false;
  let isHostedBroken = false;
  let turn = 0;
  const open = async (next: Parameters<typeof createProviderServer>[0]["next"]): Promise<ProviderServer> => {
    const server = await createProviderServer({ next });
    onTestFinished(server.close);
    return server;
  };
  const local = await open((call) => {
    if (call.path.endsWith("/models")) return modelList;
    if (isSummary(call)) return healthyReply(summary);
    if (isTitle(call)) return healthyReply("About granite");
    if (isBroken) return { status: 500, body: "{}" };
    if (call.text.includes("Search for it") && !call.text.includes("call_healthy"))
      return healthyCall("search_web", { query: marker });
    turn += 1;
    return turn % 3 === 0 && call.text.includes('"recall"') && !call.text.includes("call_healthy")
      ? healthyCall("recall", { query: "granite" })
      : healthyReply(`Yes, ${marker}. ${"It is grey. ".repeat(150)}`);
  });
  const canaries = await Promise.all(
    ["OPENROUTER", "OPENAI", "ANTHROPIC", "GOOGLE"].map(async (name) => ({
      name,
      server: await open((call) => ({
        ...(isHostedBroken && name === "OPENAI" ? { status: 500 } : {}),
        ...healthyReply(isSummary(call) ? summary : "Not to be asked."),
        // Without keep-alive every request is a connection that is counted.
        headers: { connection: "close" },
      })),
    })),
  );
  const server = await startServer({
    program: "main",
    env: {
      NODE_OPTIONS: `--import=${new URL("../support/net/report-connections.ts", import.meta.url).href}`,
      STONECHAT_MODEL: "compatible/llama",
      STONECHAT_TITLES: "on",
      STONECHAT_COMPATIBLE_URL: local.url,
      STONECHAT_COMPATIBLE_MODELS: "llama",
      STONECHAT_OFFLINE_PACE_MS: "0",
      GOOGLE_GENERATIVE_AI_API_KEY: "key-of-google",
      ...Object.fromEntries(canaries.map(({ name, server: { url } }) => [`${name}_BASE_URL`, url])),
      ...Object.fromEntries(["OPENROUTER", "OPENAI", "ANTHROPIC"].map((name) => [`${name}_API_KEY`, `key-of-${name}`])),
      ...env,
    },
  });
  onTestFinished(server.close);
  const portOf = (url: string): string => new URL(url).port;
  const connectionsTo = (url: string): number =>
    server
      .output()
      .split("\n")
      .filter((line) => line === `[connection] 127.0.0.1:${portOf(url)}`).length;
  const all = (): readonly string[] =>
    server
      .output()
      .split("\n")
      .filter((line) => line.startsWith("[connection] "));
  // Model lists are asked once at startup, with nothing of any thread in the request.
  // The server's output may arrive later than its requests.
  await until("the startup requests are over", async () =>
    canaries.every(({ server: { calls, url } }) => calls.length > 0 && connectionsTo(url) >= calls.length),
  );
  const baseline = new Map(canaries.map(({ name, server: { url } }) => [name, connectionsTo(url)]));
  return {
    client: server.client,
    url: server.url,
    local,
    canaries,
    breakLocal: (broken: boolean) => (isBroken = broken),
    breakOpenAi: () => (isHostedBroken = true),
    /** Connections since startup to anything but the local model server. */
    elsewhere: () =>
      canaries
        .map(({ name, server: { url } }) => connectionsTo(url) - (baseline.get(name) ?? 0))
        .reduce((a, b) => a + b) +
      all().filter(
        (line) => ![local, ...canaries.map((one) => one.server)].some(({ url }) => line.endsWith(`:${portOf(url)}`)),
      ).length,
    counted: () => connectionsTo(local.url),
    leaked: () => canaries.flatMap(({ server: { calls } }) => calls.filter(({ text }) => text.includes(marker))).length,
  };
}

async function chat(setup: Setup, body: { readonly model?: string; readonly temporary?: boolean }, turns = 6) {
  const threadId = mintId("thread");
  await setup.client.createThread({ body: { id: threadId, ...body } });
  const live = followStream(`${setup.url}/api/threads/${threadId}/stream?after=0`);
  onTestFinished(live.close);
  for (let turn = 1; turn <= turns; turn += 1) {
    const text = `Turn ${turn}: ${long}`;
    await setup.client.sendMessage({ params: { threadId }, body: { id: mintId("message"), text } });
    await live.ended(turn);
  }
  return { threadId, live };
}

/** Asks for a summary as well as waiting for the automatic ones. */
async function summarize({ client }: Setup, threadId: string) {
  const params = { threadId };
  await client.summarize({ params, body: { id: mintId("summary") } }).catch(() => undefined);
  const list = async () => (await client.listSummaries({ params })).summaries;
  await until("all summaries are made", async () => {
    const made = await list();
    return made.length > 0 && made.every(({ status }) => status !== "generating");
  });
  return list();
}

test.each<[string, Readonly<Record<string, string>>]>([
  ["without further settings", {}],
  [
    "with another provider in STONECHAT_SUMMARY_MODELS and STONECHAT_FALLBACKS",
    {
      STONECHAT_SUMMARY_MODELS: freeModel,
      STONECHAT_FALLBACKS: freeModel,
    },
  ],
])("a thread on a local model connects to nothing else, %s", async (_, env) => {
  const setup = await setUp(env);
  for (const temporary of [false, true]) {
    const { threadId, live } = await chat(setup, { temporary });
    const summaries = await summarize(setup, threadId);
    expect(summaries.map(({ model }) => model)).toEqual(
      summaries.map(() => ("STONECHAT_SUMMARY_MODELS" in env ? null : "compatible/llama")),
    );
    setup.breakLocal(true);
    await setup.client.sendMessage({ params: { threadId }, body: { id: mintId("message"), text: long } });
    expect(await live.ended(7)).toMatchObject({ outcome: "failed" });
    setup.breakLocal(false);
    const { thread } = await setup.client.getThread({ params: { threadId } });
    expect(thread.title).not.toBe("");
  }
  // Otherwise the first words of the message are the title, and the case does not show where a title is asked for.
  if (!("STONECHAT_SUMMARY_MODELS" in env))
    await until("the local model is asked for a title", async () => setup.local.calls.some(isTitle));
  expect(setup.local.calls.length).toBeGreaterThanOrEqual(14);
  expect(setup.local.calls.some(({ text }) => text.includes("call_healthy"))).toBe(true);
  expect(setup.counted()).toBeGreaterThan(0);
  expect({ connections: setup.elsewhere(), leaked: setup.leaked() }).toEqual({ connections: 0, leaked: 0 });
});

test("the built-in model's threads make no connection at all", async () => {
  const setup = await setUp();
  const { threadId } = await chat(setup, { model: "offline/stone" }, 3);
  expect((await summarize(setup, threadId)).map(({ model }) => model)).toEqual(expect.arrayContaining([null]));
  expect({ connections: setup.elsewhere(), leaked: setup.leaked() }).toEqual({ connections: 0, leaked: 0 });
});

test("a search of a thread on a local model is not made by another model provider", async () => {
  const setup = await setUp({ STONECHAT_SEARCH: "openrouter" });
  const threadId = mintId("thread");
  await setup.client.createThread({ body: { id: threadId } });
  const live = followStream(`${setup.url}/api/threads/${threadId}/stream?after=0`);
  onTestFinished(live.close);
  await setup.client.sendMessage({
    params: { threadId },
    body: { id: mintId("message"), text: "@basic Search for it" },
  });
  await live.ended();
  const parts = live.view().messages.at(-1)?.parts ?? [];
  expect(JSON.stringify(parts)).toContain("The text of this thread is sent to no other model provider.");
  expect({ connections: setup.elsewhere(), leaked: setup.leaked() }).toEqual({ connections: 0, leaked: 0 });
});

test.each([
  [true, { outcome: "failed", leaked: 0 }],
  [false, { outcome: "done", leaked: 1 }],
])(
  "temporary %s: a thread whose provider fails is continued by another provider's fallback: %j",
  async (temporary, expected) => {
    const setup = await setUp({ STONECHAT_FALLBACKS: freeModel });
    setup.breakOpenAi();
    const { live } = await chat(setup, { model: "openai/gpt-5-mini", temporary }, 1);
    const openRouter = setup.canaries.find(({ name }) => name === "OPENROUTER")?.server.calls ?? [];
    const leaked = openRouter.filter(
      ({ text }) => text.includes(marker) && !isSummary({ text } as ProviderCall),
    ).length;
    expect({ outcome: (await live.ended(1)).outcome, leaked: Math.min(leaked, 1) }).toEqual(expected);
  },
);

test("control: an OpenRouter thread, and a summary model the operator chose, are connected to and counted", async () => {
  const setup = await setUp({ STONECHAT_SUMMARY_MODELS: "compatible/llama" });
  const { threadId } = await chat(setup, { model: freeModel }, 3);
  const before = setup.local.calls.length;
  expect((await summarize(setup, threadId)).map(({ model }) => model)).toEqual(
    expect.arrayContaining(["compatible/llama"]),
  );
  expect(setup.local.calls.length).toBeGreaterThan(before);
  expect(setup.elsewhere()).toBeGreaterThan(0);
  expect(setup.leaked()).toBeGreaterThan(0);
});
