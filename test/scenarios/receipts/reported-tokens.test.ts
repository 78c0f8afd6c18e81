import { expect, test } from "vitest";
import { countTokens } from "../../../server/lib/tokens.ts";
import { mintId, say, startInstance } from "../../support/instance.ts";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { query } from "../../support/server/database.ts";
import type { Script } from "../../../server/model/scripted.ts";

const FILLER = "The tide tables of the harbour were read aloud once more. ".repeat(40);
const NUM_CTX = 4_096;

/** Like Ollama with a context of 4,096 tokens: it drops what does not fit, and reports what it read. */
const truncating = (text: string) => {
  const read = Math.min(NUM_CTX, countTokens(text));
  return { prompt_tokens: read, completion_tokens: 5, total_tokens: read + 5 };
};

async function runTurns(usage: (text: string) => object | null, turns: number) {
  const chat = await startRecordedInstance({
    provider: "compatible",
    reply: (_, index) => `Noted ${index}. ${FILLER}`,
    usage,
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  for (let turn = 1; turn <= turns; turn += 1) {
    await chat.send(threadId, `Fact ${turn}. ${FILLER}`);
    await live.ended(turn);
  }
  const notices = () =>
    live.view().messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part] : [])));
  const lines = async () => (await chat.client.listReceipts({ params: { threadId } })).receipts.toReversed();
  const receipts = async () =>
    Promise.all(
      (await lines()).map(
        async ({ id }) => (await chat.client.getReceipt({ params: { threadId, receiptId: id } })).receipt,
      ),
    );
  return { ...chat, threadId, live, notices, receipts };
}

test("a server that truncates the prompt is noticed: the answer and the receipt say so, and later prompts fit", async () => {
  const { notices, receipts, sent, send, live, threadId } = await runTurns(truncating, 9);
  expect(notices()).toMatchObject([
    { code: "prompt-truncated", text: expect.stringContaining("reports 4,096 input tokens") },
    { code: "fewer-tools" },
  ]);
  const all = await receipts();
  const at = all.findIndex(({ reported }) => reported !== undefined);
  expect(all[at]).toMatchObject({
    reported: { inputTokens: NUM_CTX, window: { tokens: expect.any(Number) } },
    budget: { windowAssumed: true },
  });
  expect(all[at]!.checks).toContainEqual({ name: "reported-tokens", ok: false });
  const later = sent().slice(at + 1);
  expect(later.length).toBeGreaterThan(1);
  for (const { text } of later) expect(countTokens(text)).toBeLessThanOrEqual(NUM_CTX);
  for (const { budget, reported } of all.slice(at + 1)) {
    expect(budget.window).toBeLessThanOrEqual(NUM_CTX);
    expect(budget.learned?.tokens).toBe(budget.window);
    expect(reported).toBeUndefined();
  }
  await send(threadId, "One more.");
  await live.ended(10);
  expect(notices()).toHaveLength(2);
});

test("a model that counts more tokens than we do gets a smaller window, and the receipt names the ratio", async () => {
  const counting = (text: string) => reports(Math.ceil(countTokens(text) * 1.5));
  const { receipts, notices, dataDir } = await runTurns(counting, 4);
  const [first, ...later] = (await receipts()).map(({ budget }) => budget);
  expect(first?.tokenRatio).toBeUndefined();
  for (const [index, { tokenRatio, window }] of later.entries()) {
    expect(tokenRatio).toMatchObject({ ratio: expect.closeTo(1.5, 0), calls: index + 1 });
    expect(window).toBe(Math.floor((first?.window ?? 0) / (tokenRatio?.ratio ?? 1)));
  }
  expect(notices()).toEqual([]);
  const stored = await query<{ value: string }>({ dataDir }, "select value from meta where key like 'tokens:%'");
  expect(stored.map(({ value }) => JSON.parse(value) as unknown)).toMatchObject([{ calls: 4 }]);
});

const reports = (read: number) => ({ prompt_tokens: read, completion_tokens: 5, total_tokens: read + 5 });
const long = (tokens: number): string => "The tide tables were read aloud once more. ".repeat(Math.ceil(tokens / 9));

test.each([
  ["always reports 2,048, from the first call", () => reports(2_048), [15_000], 0],
  ["always reports 2,048, for a prompt that is mostly tools", () => reports(2_048), [1_200], 0],
  ["always reports 4,095, just below a usual window", () => reports(4_095), [9_000], 0],
  ["reports half of the first prompt", (text: string) => reports(Math.floor(countTokens(text) / 2)), [9_000], 0],
  [
    "reports 4,096, which is near what each turn adds",
    (text: string) => reports(Math.min(4_096, countTokens(text))),
    [200, 4_000, 4_000],
    1,
  ],
  ["reports the same odd count for a longer prompt", () => reports(5_000), [4_000, 1_500], 1],
])("a server that %s is taken for one that truncates", async (_, usage, lengths, at) => {
  const chat = await startRecordedInstance({ provider: "compatible", reply: () => "Noted.", usage });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  for (const [turn, length] of lengths.entries()) {
    await chat.send(threadId, `Fact ${turn}. ${long(length)}`);
    await live.ended(turn + 1);
  }
  const noticed = live
    .view()
    .messages.filter(({ role }) => role === "assistant")
    .map(({ parts }) => parts.some((part) => part.kind === "notice" && part.code === "prompt-truncated"));
  expect(noticed.indexOf(true)).toBe(at);
  const [newest] = (await chat.client.listReceipts({ params: { threadId } })).receipts.toReversed().slice(at);
  const { receipt } = await chat.client.getReceipt({ params: { threadId, receiptId: newest!.id } });
  expect(receipt.checks).toContainEqual({ name: "reported-tokens", ok: false });
});

test("a thread keeps the lowered window when the server is started again", async () => {
  const { threadId, leave } = await runTurns(truncating, 7);
  const dataDir = await leave();
  const again = await startRecordedInstance({
    provider: "compatible",
    reply: () => "Here.",
    usage: truncating,
    dataDir,
  });
  const live = again.follow(threadId);
  await again.send(threadId, `And now? ${FILLER}`);
  await live.until((view) => view.messages.length === 16 && view.run?.state === "ended");
  expect(countTokens(again.sent().at(-1)!.text)).toBeLessThanOrEqual(NUM_CTX);
});

/** No words of a language: many tokens for their length. */
const dense = (n: number) => Array.from({ length: 230 }, (_, k) => `fact${n}x${k}`).join(" ");

async function expectKept(env: Readonly<Record<string, string>>) {
  const window = 2_048;
  const options = {
    provider: "compatible",
    reply: () => "Noted.",
    usage: (text: string) => reports(Math.min(window, countTokens(text))),
    env,
  } as const;
  const chat = await startRecordedInstance(options);
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  for (let turn = 1; turn <= 5; turn += 1) {
    await chat.send(threadId, `Part ${turn}: ${dense(turn)}`);
    await live.ended(turn);
  }
  const at = live
    .view()
    .messages.filter(({ role }) => role === "assistant")
    .findIndex(({ parts }) => parts.some((part) => part.kind === "notice" && part.code === "prompt-truncated"));
  expect(at).toBeGreaterThanOrEqual(0);
  await chat.client.summarize({ params: { threadId }, body: { id: mintId() } });
  const inBackground = () => chat.everything().filter((text) => text.includes("fact1x1") && !text.includes("You are"));
  await expect.poll(() => inBackground().length).toBeGreaterThan(0);
  const later = [...chat.sent().slice(at + 1), ...inBackground().map((text) => ({ text }))];
  for (const { text } of later) expect(countTokens(text)).toBeLessThanOrEqual(window);

  const again = await startRecordedInstance({ ...options, dataDir: await chat.leave() });
  const other = await again.start();
  const follow = again.follow(other);
  await again.send(other, `New: ${dense(9)}`);
  await follow.ended(1);
  const [first] = again.sent();
  expect(countTokens(first!.text)).toBeLessThanOrEqual(window);
  expect(first!.text).toContain(dense(9));
}

const KEPT = "background summaries, and new threads after a restart, keep to the lowered window";

test(`${KEPT}, on SQLite`, () => expectKept({}));

test.skipIf(!findPostgres())(`${KEPT}, on PostgreSQL`, async () => {
  await expectKept({ STONECHAT_DATABASE_URL: await createDatabase() });
});

test.each([
  ["counts with another tokenizer", (text: string) => ({ prompt_tokens: Math.ceil(countTokens(text) * 0.75) })],
  ["counts more", (text: string) => ({ prompt_tokens: Math.ceil(countTokens(text) * 1.4) })],
  ["reports nothing", () => null],
  ["reports zero", () => ({ prompt_tokens: 0 })],
  ["reports a constant that is no window", () => ({ prompt_tokens: 12 })],
])("a provider that %s is not taken for one that truncates", async (_, count) => {
  const usage = (text: string) => {
    const figures = count(text);
    return figures && { ...figures, completion_tokens: 5, total_tokens: figures.prompt_tokens + 5 };
  };
  const { notices, receipts } = await runTurns(usage, 6);
  expect(notices()).toEqual([]);
  for (const { budget, reported } of await receipts()) {
    expect(reported).toBeUndefined();
    expect(budget.learned).toBeUndefined();
    expect(budget.window).toBe(Math.floor(32_000 / Math.max(1, budget.tokenRatio?.ratio ?? 1)));
  }
});

test("a server that counts only what its cache did not hold is not taken for one that truncates", async () => {
  let before = "";
  const usage = (body: string) => {
    const text = JSON.stringify((JSON.parse(body) as { messages: unknown }).messages);
    let shared = 0;
    while (shared < text.length && text[shared] === before[shared]) shared += 1;
    const fresh = countTokens(text.slice(shared));
    before = text;
    return { prompt_tokens: fresh, completion_tokens: 5, total_tokens: fresh + 5 };
  };
  const { notices } = await runTurns(usage, 8);
  expect(notices()).toEqual([]);
});

test("does not report truncation if the server counts cached tokens separately", async () => {
  const usage = (text: string) => {
    const all = countTokens(text);
    return { ...reports(Math.ceil(all * 0.4)), prompt_tokens_details: { cached_tokens: Math.floor(all * 0.6) } };
  };
  const { notices } = await runTurns(usage, 6);
  expect(notices()).toEqual([]);
});

test("a window of 2,048 tokens gets fewer tools and a reserve for the answer, with one notice to the user", async () => {
  const prompts: number[] = [];
  const offered: number[] = [];
  const script: Script = Object.assign(
    (request: Parameters<Script>[0]) => {
      prompts.push(countTokens(JSON.stringify([request.system, request.tools, request.messages])));
      offered.push(request.tools.length);
      return say("Noted.");
    },
    { windowOf: () => 2_048 },
  );
  const { start, send, follow } = await startInstance({ script });
  const threadId = await start();
  const live = follow(threadId);
  for (let turn = 1; turn <= 4; turn += 1) {
    await send(threadId, `Question ${turn}. ${FILLER.slice(0, 600)}`);
    await live.ended(turn);
  }
  expect(Math.max(...prompts)).toBeLessThanOrEqual(2_048 - 500);
  expect(Math.max(...offered)).toBeLessThan(8);
  expect(Math.max(...offered)).toBeGreaterThan(0);
  const notices = live
    .view()
    .messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part] : [])));
  expect(notices).toMatchObject([{ code: "fewer-tools", text: expect.stringContaining("2,048 tokens") }]);
});

test("a thread gets all its tools back with a model that has room for them", async () => {
  let windowTokens = 2_048;
  const offered: number[] = [];
  const script: Script = Object.assign(
    (request: Parameters<Script>[0]) => {
      offered.push(request.tools.length);
      return say("Noted.");
    },
    { windowOf: () => windowTokens },
  );
  const { start, send, follow } = await startInstance({ script });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "One.");
  await live.ended(1);
  windowTokens = 100_000;
  await send(threadId, "Two.");
  await live.ended(2);
  expect(offered[1]).toBeGreaterThan(offered[0]!);
});

test("the instructions speak of working_memory only where the window has room for that tool", async () => {
  const requests: Parameters<Script>[0][] = [];
  let windowTokens = 2_048;
  const script: Script = Object.assign(
    (request: Parameters<Script>[0]) => {
      requests.push(request);
      return say("Noted.");
    },
    { windowOf: () => windowTokens },
  );
  const { start, send, follow } = await startInstance({ script });
  const threadId = await start();
  const live = follow(threadId);
  for (const [turn, text] of [`Long. ${long(900)}`, `Again. ${long(900)}`, "Short."].entries()) {
    if (turn === 2) windowTokens = 100_000;
    await send(threadId, text);
    await live.ended(turn + 1);
  }
  const offers = requests.map(({ tools }) => tools.some(({ name }) => name === "working_memory"));
  expect(offers).toEqual([false, false, true]);
  expect(requests.map(({ system }) => system.includes("working_memory"))).toEqual(offers);
});
