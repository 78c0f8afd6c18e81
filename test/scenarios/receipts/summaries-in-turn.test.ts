import { expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../protocol/model.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { call, createGate, mintId, say, startInstance, type Instance } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";

const FACT = "The lighthouse keeper is Marit Solheim.";
const FILLER = "The tide tables were read aloud once more. ".repeat(40);
const overview = `${FACT} They read tide tables.`;
const createLook = (onCall: () => Promise<unknown>) =>
  tool({
    name: "look",
    execute: async () => {
      await onCall();
      return { output: FILLER.repeat(3) };
    },
    limits: { timeoutMs: 5_000, resultTokens: 2_000 },
  });
const env = { STONECHAT_SUMMARY_MODELS: "scripted/backup" };
const tooLong: ModelEvent = {
  type: "failed",
  failure: { code: "too-long", fault: "request", text: "The prompt is longer than the model's window." },
};
const overloaded: ModelEvent = {
  type: "failed",
  failure: { code: "overloaded", fault: "provider", text: "The provider is overloaded." },
};

const isSummarizer = ({ system }: ModelRequest): boolean => system.startsWith("You summarize part of a conversation");
const textOf = (request: ModelRequest): string => JSON.stringify(request.messages);

/** A thread whose first messages only a summary still tells: `answer` decides about every later request. */
async function startSummarized(
  answer: (request: ModelRequest, index: number) => readonly ModelEvent[],
  options: {
    readonly policy?: "stone" | "summary" | "snapshot";
    readonly windowTokens?: number;
    readonly hang?: (index: number) => boolean;
  } = {},
) {
  const requests: ModelRequest[] = [];
  let isReady = false;
  const hooks = { onLook: async (): Promise<unknown> => undefined };
  const script: Script = Object.assign(
    (request: ModelRequest, _: number, signal: AbortSignal) => {
      if (isSummarizer(request)) return say(JSON.stringify({ overview, keyPoints: [] }));
      if (!isReady) return say(`Noted. ${FILLER}`);
      requests.push(request);
      if (options.hang?.(requests.length - 1)) return hang(signal);
      return [...answer(request, requests.length - 1)];
    },
    { windowOf: () => options.windowTokens ?? 32_000 },
  );
  const setup = { script, env, tools: [createLook(() => hooks.onLook())] };
  const instance = await startInstance(setup);
  const { client, start, send, follow } = instance;
  const threadId = await start();
  const live = follow(threadId);
  const policy = options.policy ?? "stone";
  await client.changeThread({ params: { threadId }, body: { id: mintId(), policy: "messages" } });
  await send(threadId, `${FACT} ${FILLER}`);
  await live.ended(1);
  await send(threadId, `Read on. ${FILLER}`);
  await live.ended(2);
  await client.summarize({ params: { threadId }, body: { id: mintId() } });
  await made(instance, live, threadId);
  for (let turn = 3; turn <= 14; turn += 1) {
    await send(threadId, `Question ${turn}. ${FILLER}`);
    await live.ended(turn);
  }
  await client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
  isReady = true;
  return { ...instance, threadId, live, requests, hooks, options: setup };
}

async function* hang(signal: AbortSignal): AsyncGenerator<ModelEvent> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  yield* [];
}

async function made({ client }: Instance, live: ReturnType<Instance["follow"]>, threadId: string): Promise<void> {
  const changes = () => live.rows.filter(({ event }) => event.type === "context-changed").length;
  for (let seen = 0; ; seen = changes()) {
    const { summaries } = await client.listSummaries({ params: { threadId } });
    if (summaries[0] && summaries[0].status !== "generating") return;
    await live.until(() => changes() > seen);
  }
}

const receiptsOf = async ({ client }: Pick<Instance, "client">, threadId: string, count: number) => {
  const { receipts } = await client.listReceipts({ params: { threadId } });
  return Promise.all(
    receipts
      .slice(0, count)
      .toReversed()
      .map(async ({ id }) => (await client.getReceipt({ params: { threadId, receiptId: id } })).receipt),
  );
};

test("a compaction in the middle of an answer keeps the summaries of earlier messages", async () => {
  const chat = await startSummarized(
    (_, index) => (index < 5 ? call({ name: "look", input: `{"q":"${index}"}` }) : say("Done.")),
    { windowTokens: 22_000 },
  );
  await chat.send(chat.threadId, "Look five times.");
  await chat.live.ended(15);
  const receipts = await receiptsOf(chat, chat.threadId, chat.requests.length);
  const opened = receipts.findIndex(({ epoch }, index) => index > 0 && epoch.opened !== null);
  expect(opened, "no compaction happened inside the answer").toBeGreaterThan(0);
  for (const request of chat.requests) expect(textOf(request)).toContain(FACT);
  const range = receipts[opened]!.leftOut.find(({ fromDepth, why }) => fromDepth === 1 && why === "before-the-cut");
  const summary = receipts[opened]!.items.find(({ kind }) => kind === "summary");
  expect(range?.coveredBy).toContain(summary?.id);
});

test("a prompt that a provider finds too long in the middle of an answer is shortened without losing the summaries", async () => {
  const chat = await startSummarized((_, index) => {
    if (index === 1) return [tooLong];
    return index === 0 ? call({ name: "look", input: "{}" }) : say("Done.");
  });
  await chat.send(chat.threadId, "Look once.");
  await chat.live.ended(15);
  expect(chat.requests).toHaveLength(3);
  expect(textOf(chat.requests[2]!).length).toBeLessThan(textOf(chat.requests[1]!).length);
  expect(textOf(chat.requests[2]!)).toContain(FACT);
  expect(textOf(chat.requests[2]!)).toContain('<context messages=\\"1-');
});

test.each(["summary", "snapshot"] as const)(
  "%s: the summary is in every request of a turn, retries included",
  async (policy) => {
    const chat = await startSummarized(
      (_, index) => (index === 1 ? [overloaded] : index < 3 ? call({ name: "look", input: "{}" }) : say("Done.")),
      { policy },
    );
    await chat.send(chat.threadId, "Look twice.");
    await chat.live.ended(15);
    expect(chat.requests).toHaveLength(4);
    const blocks = chat.requests.map(({ messages }) =>
      messages.flatMap((message) => (message.role === "user" && message.text.includes(overview) ? [message.text] : [])),
    );
    expect(blocks[0]).toHaveLength(1);
    for (const block of blocks) expect(block).toEqual(blocks[0]);
    for (const receipt of await receiptsOf(chat, chat.threadId, 4)) {
      const summary = receipt.items.find(({ kind }) => kind === "summary");
      expect(receipt.leftOut.find(({ fromDepth }) => fromDepth === 1)).toMatchObject({
        toDepth: 4,
        coveredBy: [summary?.id],
      });
      const rest = receipt.leftOut.filter(({ fromDepth, messages }) => fromDepth > 4 && messages > 0);
      expect(rest.length).toBeGreaterThan(0);
      for (const { coveredBy } of rest) expect(coveredBy).toEqual([]);
    }
  },
);

test("a summary that is edited during a turn changes from the next turn on", async () => {
  const chat = await startSummarized((_, index) => (index === 0 ? call({ name: "look", input: "{}" }) : say("Done.")), {
    policy: "summary",
  });
  const { summaries } = await chat.client.listSummaries({ params: { threadId: chat.threadId } });
  const nothing = { keyPoints: [], decisions: [], actionItems: [], openQuestions: [], toolResults: [] };
  const fields = { ...nothing, overview: "The keeper has retired." };
  chat.hooks.onLook = () =>
    chat.client.editSummary({
      params: { threadId: chat.threadId, summaryId: summaries[0]!.id },
      body: { id: mintId(), fields },
    });
  await chat.send(chat.threadId, "Look once.");
  await chat.live.ended(15);
  await chat.send(chat.threadId, "And now?");
  await chat.live.ended(16);
  expect(chat.requests.map((request) => textOf(request).includes("The keeper has retired."))).toEqual([
    false,
    false,
    true,
  ]);
});

test("snapshot has the work state of the last answer even when the background job never ran", async () => {
  const requests: ModelRequest[] = [];
  const { start, send, follow, client, server } = await startInstance({
    script: (request) => {
      requests.push(request);
      return requests.length === 1 ? call({ name: "calculate", input: '{"expression":"6*7"}' }) : say("It is 42.");
    },
  });
  const threadId = await start();
  await client.changeThread({ params: { threadId }, body: { id: mintId(), policy: "snapshot" } });
  const live = follow(threadId);
  await send(threadId, "My lucky number is 7. What is six times it?");
  await live.ended(1);
  Object.assign(server.store.read, { agentState: async () => undefined });
  await send(threadId, "Thank you.");
  await live.ended(2);
  expect(textOf(requests[2]!)).toContain("<agent-state>");
  expect(textOf(requests[2]!)).toContain("said at 1: My lucky number is 7.");
});

test.each(["stone", "summary", "snapshot"] as const)(
  "%s: a server that is started again in the middle of an answer builds the same request",
  async (policy) => {
    const asked = createGate();
    let isUp = false;
    const chat = await startSummarized(
      (_, index) => (index === 0 ? call({ name: "look", input: "{}" }) : say("Done.")),
      {
        policy,
        hang: (index) => {
          if (index !== 1 || isUp) return false;
          asked.open();
          return true;
        },
      },
    );
    await chat.send(chat.threadId, "Look once.");
    await asked.passed;
    const dataDir = await chat.leave();
    isUp = true;
    const again = await startInstance({ ...chat.options, dataDir });
    const live = again.follow(chat.threadId);
    await live.until((view) => view.messages.length === 30 && view.run?.state === "ended");
    expect(chat.requests).toHaveLength(3);
    expect(chat.requests[2]).toEqual(chat.requests[1]);
    expect(textOf(chat.requests[2]!)).toContain(FACT);
  },
);
