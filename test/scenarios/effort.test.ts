import { expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { say, startInstance } from "../support/instance.ts";

async function startListening() {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    script: (request) => {
      requests.push(request);
      return say("fine");
    },
  });
  return { requests, ...instance };
}

test("a changed reasoning effort applies from the next message", async () => {
  const { client, requests, send, follow } = await startListening();
  const threadId = "an-effort";
  const made = await client.createThread({ params: {}, body: { id: threadId, effort: "high" } });
  expect(made.effort).toBe("high");
  const live = follow(threadId);
  await send(threadId, "one");
  await live.ended(1);
  await client.changeThread({ params: { threadId }, body: { id: "change-1", effort: "none" } });
  expect((await client.getThread({ params: { threadId } })).thread.effort).toBe("none");
  await send(threadId, "two");
  await live.ended(2);
  await client.changeThread({ params: { threadId }, body: { id: "change-2", effort: null } });
  await send(threadId, "three");
  await live.ended(3);
  expect(requests.map(({ effort }) => effort)).toEqual(["high", "none", "medium"]);
  const { receipts } = await client.listReceipts({ params: { threadId } });
  const stored = await Promise.all(
    receipts.map(({ id }) => client.getReceipt({ params: { threadId, receiptId: id } })),
  );
  expect(stored.map(({ receipt }) => receipt.recipe.effort)).toEqual(["medium", "none", "high"]);
  for (const { id } of receipts)
    expect(await client.getRequest({ params: { threadId, receiptId: id } })).toMatchObject({ verified: true });
});

test("rejects an unknown effort", async () => {
  const { client, start } = await startListening();
  const threadId = await start();
  const body = { id: "change-1", effort: "utmost" as "high" };
  await expect(client.changeThread({ params: { threadId }, body })).rejects.toMatchObject({ status: 400 });
  expect((await client.getThread({ params: { threadId } })).thread.effort).toBeNull();
});

test("returns receipts in pages, each call once", async () => {
  const { client, send, follow, start } = await startListening();
  const threadId = await start();
  const live = follow(threadId);
  for (let turn = 1; turn <= 5; turn += 1) {
    await send(threadId, `question ${turn}`);
    await live.ended(turn);
  }
  const whole = await client.listReceipts({ params: { threadId } });
  expect(whole).toMatchObject({ nextBefore: null });
  expect(whole.receipts).toHaveLength(5);
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const query: { limit: number; before?: string } = { limit: 2, ...(before === null ? {} : { before }) };
    const page: Awaited<ReturnType<typeof client.listReceipts>> = await client.listReceipts({
      params: { threadId },
      query,
    });
    expect(page.receipts.length).toBeLessThanOrEqual(2);
    ids.push(...page.receipts.map(({ id }) => id));
    before = page.nextBefore;
  } while (before !== null);
  expect(ids).toEqual(whole.receipts.map(({ id }) => id));
});

test("rejects a page cursor from another thread", async () => {
  const { client, send, follow, start } = await startListening();
  const threadId = await start();
  await send(threadId, "one");
  await follow(threadId).ended(1);
  const [line] = (await client.listReceipts({ params: { threadId } })).receipts;
  const other = await start();
  const asked = client.listReceipts({ params: { threadId: other }, query: { before: line!.id } });
  await expect(asked).rejects.toMatchObject({ status: 404 });
});
