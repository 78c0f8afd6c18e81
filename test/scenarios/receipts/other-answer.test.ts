import { expect, test } from "vitest";
import { mintId, say, startInstance } from "../../support/instance.ts";

test("an answer that is regenerated after a pin reports a branch as the reason for the cache break", async () => {
  const { client, start, send, follow } = await startInstance({ script: () => say("Four.") });
  const threadId = await start();
  const params = { threadId };
  const live = follow(threadId);
  for (const [index, text] of ["How many lanterns?", "And ropes?"].entries()) {
    await send(threadId, text);
    await live.ended(index + 1);
  }
  await client.addPin({ params, body: { id: mintId(), text: "Count only what is on board." } });
  const { messages } = await client.getThread({ params });
  await client.regenerateMessage({ params: { threadId, messageId: messages.at(-1)!.id }, body: { id: mintId() } });
  await live.ended(3);
  const { receipts } = await client.listReceipts({ params });
  const { receipt } = await client.getReceipt({ params: { threadId, receiptId: receipts[0]!.id } });
  expect(receipt.items.map(({ why }) => why)).toContain("pinned");
  expect(receipt.cache.broke).toBe("branch");
  expect(receipt.checks).toContainEqual({ name: "prefix", ok: true });
});
