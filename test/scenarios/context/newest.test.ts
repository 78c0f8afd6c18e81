import { expect, test } from "vitest";
import { countTokens } from "../../../server/lib/tokens.ts";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";

/** Requirements, the last list: 1 (direction), 7 (budget), 9 (gaps). */
const ASSUMED_WINDOW = 32_000;
const FILLER = "The tide tables of the harbour were read aloud once more. ".repeat(60);

test("the newest fact is in the request, which always fits the window", async () => {
  const chat = await startRecordedInstance({
    provider: "compatible",
    reply: (_, index) => `Noted ${index}. ${FILLER}`,
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  const turns = 40;
  for (let turn = 1; turn <= turns; turn += 1) {
    await chat.send(threadId, `Fact ${turn}: berth ${turn * 7919} is free. ${FILLER}`);
    await live.ended(turn);
    const { body, text } = chat.sent().at(-1)!;
    expect(text).toContain(`berth ${turn * 7919} is free`);
    expect(JSON.stringify(body.messages.at(-1))).toContain(`berth ${turn * 7919} is free`);
  }
  const sizes = chat.sent().map(({ text }) => text.length);
  const longest = chat.sent().reduce((most, { text }) => (text.length > most.length ? text : most), "");
  expect(countTokens(longest)).toBeLessThanOrEqual(ASSUMED_WINDOW);
  expect(sizes.at(-1)).toBeLessThan(Math.max(...sizes) + 1);
  const whole = turns * 2 * FILLER.length;
  expect(sizes.at(-1)).toBeLessThan(whole / 2);
}, 120_000);

test("each message is in the request, or in a range that the receipt names with its replacement", async () => {
  const chat = await startRecordedInstance({
    provider: "compatible",
    reply: (_, index) => `Noted ${index}. ${FILLER}`,
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  for (let turn = 1; turn <= 30; turn += 1) {
    await chat.send(threadId, `Fact ${turn}: crate ${turn * 7919} holds rope. ${FILLER}`);
    await live.ended(turn);
  }
  const { receipts } = await chat.client.listReceipts({ params: { threadId }, query: {} });
  let cut = 0;
  for (const { id } of receipts) {
    const { receipt } = await chat.client.getReceipt({ params: { threadId, receiptId: id } });
    const inside = new Set(receipt.items.flatMap(({ kind, depth }) => (kind === "message" && depth ? [depth] : [])));
    const last = Math.max(...inside);
    for (let depth = 1; depth <= last; depth += 1) {
      const ranges = receipt.leftOut.filter(
        (one) => one.fromDepth <= depth && depth <= one.toDepth && one.messages > 0,
      );
      expect(inside.has(depth) || ranges.length > 0, `depth ${depth} of ${last}`).toBe(true);
      for (const range of ranges) {
        if (range.why !== "before-the-cut") continue;
        cut += 1;
        expect(range.coveredBy.length, `nothing stands for ${depth}`).toBeGreaterThan(0);
      }
    }
    expect(receipt.promptTokens + receipt.budget.reserve).toBeLessThanOrEqual(receipt.budget.window);
  }
  expect(cut).toBeGreaterThan(0);
}, 120_000);

test("a fact from before the compaction is recalled when it is asked for", async () => {
  const chat = await startRecordedInstance({
    provider: "compatible",
    reply: (_, index) => `Noted ${index}. ${FILLER}`,
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "The lighthouse keeper of Utsira is called Marit Solheim.");
  await live.ended(1);
  for (let turn = 2; turn <= 30; turn += 1) {
    await chat.send(threadId, `Fact ${turn}: crate ${turn * 7919} holds rope. ${FILLER}`);
    await live.ended(turn);
  }
  await chat.send(threadId, "Who is the lighthouse keeper of Utsira?");
  await live.ended(31);
  const { text, body } = chat.sent().at(-1)!;
  expect(body.messages.length).toBeLessThan(60);
  expect(text).toContain("Marit Solheim");
}, 120_000);
