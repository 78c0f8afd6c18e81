import { expect, test } from "vitest";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";
import { tool } from "../../support/server/loop-tools.ts";

const look = tool({ name: "look", execute: async () => ({ output: "Nothing new." }) });

/** A model that thinks at length before every call, behind a server that counts what it was sent. */
const startThinking = () =>
  startRecordedInstance({
    provider: "compatible",
    tools: [look],
    reply: (_, index) =>
      index % 4 === 3
        ? "Done."
        : { calls: [{ name: "look", input: { q: `${index}` } }], thinking: `Step ${index}. I ponder it. `.repeat(400) },
    usage: (text) => ({ prompt_tokens: Math.ceil(text.length / 4.2), completion_tokens: 10, total_tokens: 10 }),
  });

test("reasoning that is not sent is not counted: nothing is compacted, no server is accused of dropping a part", async () => {
  const { client, start, send, follow, sent } = await startThinking();
  const threadId = await start();
  const params = { threadId };
  const live = follow(threadId);
  for (const [index, text] of ["One?", "Two?", "Three?"].entries()) {
    await send(threadId, text);
    await live.ended(index + 1);
  }
  expect(sent()).toHaveLength(12);
  expect(sent().some(({ text }) => text.includes("I ponder"))).toBe(false);
  const { messages } = await client.getThread({ params });
  expect(messages.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "notice"))).toEqual([]);
  const { receipts } = await client.listReceipts({ params, query: { limit: 50 } });
  for (const [index, { id }] of receipts.toReversed().entries()) {
    const { receipt } = await client.getReceipt({ params: { threadId, receiptId: id } });
    expect(receipt.promptTokens).toBeLessThan((sent()[index]?.text.length ?? 0) / 2.5);
    expect(receipt).toMatchObject({ epoch: { opened: null } });
    expect(receipt.reported).toBeUndefined();
    expect(receipt.checks.filter(({ ok }) => !ok)).toEqual([]);
    const { blocks, verified } = await client.getRequest({ params: { threadId, receiptId: id } });
    expect(verified).toBe(true);
    expect(blocks.some(({ text }) => text.includes("(thinking)"))).toBe(false);
    const named = receipt.leftOut.filter(({ why }) => why === "reasoning").flatMap(({ parts = [] }) => parts);
    expect(named).toHaveLength(index - Math.floor(index / 4));
  }
});
