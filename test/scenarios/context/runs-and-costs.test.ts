import { expect, test } from "vitest";
import type { Prices } from "../../../server/cost/cost-of.ts";
import { createGate, mintId } from "../../support/instance.ts";
import { startRecordedInstance, reportedUsage } from "../../support/model/recording-provider.ts";
import { tool } from "../../support/server/loop-tools.ts";

/** Requirements, the last list: 3 (limits), 4 (disconnects), 17 (cost), 22 (memory). */
test("at a limit the last request has all results and no tools; Continue resumes from there", async () => {
  const chat = await startRecordedInstance({
    tools: [tool({ name: "search", execute: async (input) => ({ output: `finding ${(input as { q?: string }).q}` }) })],
    env: { STONECHAT_MAX_STEPS: "3" },
    reply: ({ tool_choice: choice }, index) =>
      choice?.type === "none" ? "So far this." : { calls: [{ name: "search", input: { q: `${index}` } }] },
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "Search for everything.");
  expect(await live.ended(1)).toMatchObject({ outcome: "limit" });
  const last = chat.sent().at(-1)!;
  expect(last.body.tool_choice).toEqual({ type: "none" });
  for (const index of [0, 1, 2]) expect(last.text).toContain(`finding ${index}`);
  await chat.client.continueRun({ params: { threadId }, body: { id: mintId() } });
  await live.ended(2);
  const after = chat.sent()[4]!;
  for (const words of ["finding 0", "finding 2", "So far this."]) expect(after.text).toContain(words);
});

test("a run continues without a reader, and the next request has messages sent in the meantime", async () => {
  const gate = createGate();
  const chat = await startRecordedInstance({
    reply: async (_, index) => {
      if (index === 0) await gate.passed;
      return `The answer number ${index}.`;
    },
  });
  const threadId = await chat.start();
  const reader = chat.follow(threadId);
  await chat.send(threadId, "Tell me.");
  await reader.until(({ run }) => run !== null);
  reader.close();
  gate.open();
  const again = chat.follow(threadId);
  await again.ended(1);
  await chat.send(threadId, "Go on.");
  await again.ended(2);
  expect(chat.sent().at(-1)?.text).toContain("The answer number 0.");
});

test("costs are the provider's token counts times the price table", async () => {
  const chat = await startRecordedInstance({ reply: () => "Hello." });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "Hi");
  const run = await live.ended(1);
  const models = await chat.client.listModels({ params: {} });
  const { prices } = models.models.find(({ id }) => id === "anthropic/claude-sonnet-5-5")!;
  expect(run.costUsd).toBeCloseTo(toCost(prices), 12);
  expect(run.usage).toMatchObject({
    inputTokens: reportedUsage.input,
    outputTokens: reportedUsage.output,
    cacheReadTokens: reportedUsage.cacheRead,
    estimated: false,
  });
});

/** The cost of one call with the reported usage. */
const toCost = ({ input, output, cacheRead, cacheWrite }: Prices): number =>
  ((reportedUsage.input - reportedUsage.cacheRead - reportedUsage.cacheWrite) * input! +
    reportedUsage.cacheRead * cacheRead! +
    reportedUsage.cacheWrite * cacheWrite! +
    reportedUsage.output * output!) /
  1e6;

test("background work is made by a cheaper model first, and is in the same ledger at its real cost", async () => {
  const chat = await startRecordedInstance({ reply: (_, index) => `Answer ${index}.` });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  for (let turn = 1; turn <= 3; turn += 1) {
    await chat.send(threadId, `Question ${turn}`);
    await live.ended(turn);
  }
  await chat.client.summarize({ params: { threadId }, body: { id: mintId() } });
  const costs = (by: "purpose" | "model") => chat.client.getCosts({ params: {}, query: { by, threadId } });
  const { models } = await chat.client.listModels({ params: {} });
  const priceOf = (key: string): number => toCost(models.find(({ id }) => id === key)!.prices);
  await expect
    .poll(async () => (await costs("purpose")).rows.find(({ key }) => key === "summary")?.calls ?? 0)
    .toBeGreaterThan(0);
  // An open call has the cost that was reserved for it, and another one may have begun.
  await expect
    .poll(async () => {
      const { rows, total } = await costs("model");
      const isReal = rows.every(({ key, calls, costUsd }) => Math.abs((costUsd ?? 0) - calls * priceOf(key)) < 1e-12);
      const answers = (await costs("purpose")).rows.find(({ key }) => key === "answer");
      return {
        isReal,
        answers,
        isComplete: total.calls === chat.everything().length,
        models: rows.map(({ key }) => key),
      };
    })
    .toMatchObject({
      isReal: true,
      answers: { calls: 3, inputTokens: 3 * reportedUsage.input },
      isComplete: true,
      models: expect.arrayContaining(["anthropic/claude-haiku-4-5"]),
    });
});

test("memory written by the model is shown, traced by the receipt, corrected and undone", async () => {
  const chat = await startRecordedInstance({
    reply: (_, index) =>
      index === 0 ? { calls: [{ name: "working_memory", input: remember("name", "Ada") }] } : "Hello.",
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "My name is Ada, remember it.");
  await live.ended(1);
  const parts = live.view().messages.flatMap((message) => message.parts);
  expect(parts.some((part) => part.kind === "tool" && part.name === "working_memory" && part.state === "ok")).toBe(
    true,
  );
  const other = await chat.start();
  const there = chat.follow(other);
  await chat.send(other, "Hi");
  await there.ended(1);
  expect(chat.sent().at(-1)?.text).toContain("Ada");
  const { receipts } = await chat.client.listReceipts({ params: { threadId: other }, query: {} });
  const { receipt } = await chat.client.getReceipt({ params: { threadId: other, receiptId: receipts[0]!.id } });
  expect(receipt.items.some(({ kind, id }) => ["update", "memory"].includes(kind) && id === "name")).toBe(true);
  await chat.client.setMemory({ params: {}, body: { id: mintId(), field: "name", value: "Grace" } });
  await chat.send(other, "And now?");
  await there.ended(2);
  expect(chat.sent().at(-1)?.text).toContain("Grace");
  const { memory } = await chat.client.getMemory({ params: {} });
  await chat.client.undoMemory({ params: {}, body: { id: mintId(), changeId: memory.name!.changeId } });
  await chat.send(other, "And after that?");
  await there.ended(3);
  const { text } = chat.sent().at(-1)!;
  expect(text.lastIndexOf("Ada")).toBeGreaterThan(text.lastIndexOf("Grace"));
});

const remember = (field: string, value: string) => ({
  changes: [{ field, op: "replace", value, reason: "they said so" }],
});
