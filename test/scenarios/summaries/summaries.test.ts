import { expect, test } from "vitest";
import type { SummaryView } from "../../../protocol/context/summary.ts";
import { textOf } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import type { ModelEvent, ModelRequest } from "../../../protocol/model.ts";
import { countTokens } from "../../../server/lib/tokens.ts";
import { call, createGate, mintId, say, startInstance, type Instance } from "../../support/instance.ts";

const isSummarizer = ({ system }: ModelRequest): boolean => system.startsWith("You summarize part of a conversation");
const env = { STONECHAT_SUMMARY_MODELS: "scripted/backup" };
const lie = JSON.stringify({
  overview: "They speak of granite. It weighs 777 tons.",
  keyPoints: ["K-1 is heavy", "K-9 is light"],
});
const fields = {
  overview: "My words.",
  keyPoints: ["K-1"],
  decisions: [],
  actionItems: [],
  openQuestions: [],
  toolResults: [],
};

/** Two questions with their answers. */
async function chat(
  { start, send, follow }: Instance,
  turns = 2,
): Promise<{ threadId: string; live: ReturnType<Instance["follow"]> }> {
  const threadId = await start();
  const live = follow(threadId);
  for (let turn = 1; turn <= turns; turn += 1) {
    await send(threadId, `The stone K-${turn} is heavy. ${"Granite is grey. ".repeat(30)}`);
    await live.ended(turn);
  }
  return { threadId, live };
}

const made = async (
  { client }: Instance,
  live: ReturnType<Instance["follow"]>,
  threadId: string,
): Promise<SummaryView> => {
  const changes = () => live.rows.filter(({ event }) => event.type === "context-changed").length;
  for (let seen = 0; ; seen = changes()) {
    const { summaries } = await client.listSummaries({ params: { threadId } });
    if (summaries[0] && summaries[0].status !== "generating") return summaries[0];
    await live.until(() => changes() > seen);
  }
};

test("a requested summary is made in the background, can be read by its id, edited, and the edit undone", async () => {
  const script = (request: ModelRequest): ModelEvent[] => say(isSummarizer(request) ? lie : "Yes, heavy.");
  const instance = await startInstance({ script, env });
  const { client } = instance;
  const { threadId, live } = await chat(instance);
  const params = { threadId };
  expect(await client.listSummaries({ params })).toMatchObject({
    summaries: [],
    since: { messages: 4, leastMessages: 4 },
  });

  const body = { id: mintId() };
  const { summary } = await client.summarize({ params, body });
  expect(summary).toMatchObject({ status: "generating", trigger: "manual", fromDepth: 1, toDepth: 4, messageCount: 4 });
  const done = await made(instance, live, threadId);
  expect(done).toMatchObject({
    id: summary.id,
    status: "completed",
    model: "scripted/backup",
    edited: false,
    tainted: false,
  });
  expect(done.fields).toMatchObject({ overview: "They speak of granite.", keyPoints: ["K-1 is heavy"] });
  expect(done.summaryTokens).toBeLessThan(done.sourceTokens);
  const { messages } = await client.getThread({ params });
  expect([done.fromMessageId, done.toMessageId]).toEqual([messages[0]!.id, messages[3]!.id]);
  expect(await client.getSummary({ params: { threadId, summaryId: done.id } })).toEqual({ summary: done });
  const elsewhere = (await chat(instance, 1)).threadId;
  for (const at of [
    { threadId, summaryId: "unknown" },
    { threadId: elsewhere, summaryId: done.id },
  ])
    await expect(client.getSummary({ params: at })).rejects.toMatchObject({ status: 404 });
  expect((await client.summarize({ params, body })).summary.id).toBe(summary.id);
  await expect(client.summarize({ params, body: { id: mintId() } })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("at least 4 messages"),
  });

  const at = { threadId, summaryId: summary.id };
  const edit = { id: mintId(), fields };
  expect((await client.editSummary({ params: at, body: edit })).summary).toMatchObject({ fields, edited: true });
  expect((await client.editSummary({ params: at, body: edit })).summary).toMatchObject({ fields, edited: true });
  await expect(
    client.editSummary({ params: at, body: { ...edit, fields: { ...fields, overview: "x" } } }),
  ).rejects.toMatchObject({ status: 409 });
  const undo = { id: mintId() };
  const undone = (await client.undoSummary({ params: at, body: undo })).summary;
  expect(undone).toMatchObject({ fields: done.fields, edited: false });
  expect(undone.updatedAt).toBeGreaterThan(done.updatedAt);
  expect((await client.undoSummary({ params: at, body: undo })).summary).toEqual(undone);
  await expect(client.undoSummary({ params: at, body: { id: mintId() } })).rejects.toMatchObject({ status: 409 });
});

test("the source of a summary counts text and tool calls, no context updates and no superseded attempts", async () => {
  const broken: ModelEvent[] = [
    ...say("An attempt that is superseded. ".repeat(50)).slice(0, 2),
    { type: "failed", failure: { code: "overloaded", fault: "provider", text: "The provider is overloaded." } },
  ];
  let asked = 0;
  const instance = await startInstance({
    env,
    script: (request) => {
      if (isSummarizer(request)) return say(lie);
      asked += 1;
      if (asked === 1) return broken;
      return asked === 2 ? call({ name: "calculate", input: '{"expression":"6*7"}' }) : say("Yes, heavy.");
    },
  });
  const { client, server } = instance;
  const { threadId } = await chat(instance);
  const { messages } = await client.getThread({ params: { threadId } });
  const stored = await server.store.read.partsOf(
    threadId,
    messages.map(({ id }) => id),
  );
  const parts = stored.map(({ kind, tokens, body }) => ({ kind, tokens, part: JSON.parse(body) as Part }));
  const counted = parts.filter(({ kind, part }) => ["text", "tool"].includes(kind) && part.aside === undefined);
  expect(parts.some(({ kind, tokens }) => kind === "context" && tokens > 0)).toBe(true);
  expect(parts.some(({ part }) => part.aside !== undefined && textOf([part]).length === 0)).toBe(true);
  expect(counted.map(({ kind }) => kind).toSorted()).toEqual(["text", "text", "text", "text", "tool"]);
  const { since } = await client.listSummaries({ params: { threadId } });
  expect(since.tokens).toBe(counted.reduce((sum, { tokens }) => sum + tokens, 0));
  const texts = counted.flatMap(({ part }) => (part.kind === "text" ? [countTokens(part.text)] : []));
  expect(since.tokens).toBeGreaterThan(texts.reduce((sum, tokens) => sum + tokens, 0));
});

test("too few messages are rejected with the number that is missing", async () => {
  const instance = await startInstance();
  const { threadId } = await chat(instance, 1);
  await expect(instance.client.summarize({ params: { threadId }, body: { id: "s" } })).rejects.toMatchObject({
    status: 409,
    message: "A summary needs at least 4 messages, and there are only 2 so far. Try again after a few more messages.",
  });
});

test("a hanging summarizer blocks nothing, and its summary is finished after a restart", async () => {
  const asked = createGate();
  let hangs = true;
  const script = (request: ModelRequest, _: number, signal: AbortSignal) => {
    if (!isSummarizer(request)) return say("Yes.");
    if (!hangs) return say(lie);
    asked.open();
    return hang(signal);
  };
  const first = await startInstance({ script, env });
  const { threadId, live } = await chat(first);
  await first.client.summarize({ params: { threadId }, body: { id: "s" } });
  await asked.passed;
  for (let turn = 3; turn <= 5; turn += 1) {
    await first.send(threadId, "Go on.");
    expect(await live.ended(turn)).toMatchObject({ outcome: "done" });
  }
  expect((await first.client.listSummaries({ params: { threadId } })).summaries[0]?.status).toBe("generating");
  const dataDir = await first.leave();
  hangs = false;
  const second = await startInstance({ script, env, dataDir });
  const again = second.follow(threadId);
  expect(await made(second, again, threadId)).toMatchObject({ status: "completed", toDepth: 4 });
});

test("without any model a summary is made of the thread's own sentences, and metrics tell", async () => {
  const instance = await startInstance();
  const { threadId, live } = await chat(instance);
  await instance.client.summarize({ params: { threadId }, body: { id: "s" } });
  const summary = await made(instance, live, threadId);
  expect(summary).toMatchObject({ status: "partial", model: null, error: null, costUsd: 0 });
  expect(JSON.stringify(summary.fields)).toContain("K-1");
  const metrics = await (await fetch(`${instance.url}/metrics`)).text();
  expect(metrics).toContain("stonechat_summaries_partial 1");
  expect(metrics).toContain("stonechat_jobs_failed 0");
});

test("a long thread is summarized automatically, and no turn waits for it", async () => {
  const instance = await startInstance();
  const { threadId, live } = await chat(instance, 40);
  const summary = await made(instance, live, threadId);
  expect(summary).toMatchObject({ trigger: "auto", status: "partial", level: 0 });
  const params = { threadId };
  const { summaries } = await instance.client.listSummaries({ params });
  expect(summaries.at(-1)?.fromDepth).toBe(1);
  for (const text of ["And then?", "And after that?"]) await instance.send(threadId, text);
  await live.ended(42);
  await instance.client.summarize({ params, body: { id: mintId() } });
  const triggers = (await instance.client.listSummaries({ params })).summaries.map(({ trigger }) => trigger);
  expect(new Set(triggers)).toEqual(new Set(["auto", "manual"]));
});

async function* hang(signal: AbortSignal): AsyncGenerator<ModelEvent> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "failed", failure: { code: "cut", fault: "provider", text: "stopped" } };
}
