import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { writeThread } from "../support/context/long-thread.ts";
import { startInstance } from "../support/instance.ts";

/** Message 12 of 3,000 has the fact; the offline model, with a window of 8,000 tokens, is asked for it. */
const fact = "The spare key of the lighthouse hangs behind the blue barometer.";

const ask = async (text: string) => {
  const instance = await startInstance({ env: { STONECHAT_MODEL: "offline/stone", STONECHAT_OFFLINE_PACE_MS: "0" } });
  const threadId = await instance.start();
  await writeThread(instance.server.store, threadId, 3_000, (depth) =>
    depth === 11
      ? "Where do you keep things?"
      : depth === 12
        ? text
        : `Message ${depth} is about walks and tea, number ${depth}.`,
  );
  const live = instance.follow(threadId);
  await instance.send(threadId, "hello");
  await live.ended(1);
  // Rows inserted directly into the database are indexed after the first turn.
  const { read } = instance.server.store;
  const { branch = "" } = (await read.thread(threadId)) ?? {};
  const indexed = async () => (await read.recallStates(threadId, [branch]))[0]?.depth ?? 0;
  await expect.poll(indexed, { timeout: 20_000 }).toBeGreaterThan(12);
  await instance.send(threadId, "Where does the spare key of the lighthouse hang?");
  await live.ended(2);
  const { messages } = await instance.client.getThread({ params: { threadId } });
  return { ...instance, threadId, answer: messages.at(-1)! };
};

test("the offline model answers with a fact from message 12 of 3,000 and its source", async () => {
  const { answer, client, threadId } = await ask(fact);
  expect(textOf(answer.parts)).toContain("behind the blue barometer");
  expect(textOf(answer.parts)).toContain("message 12");
  expect(answer.parts.find(({ kind }) => kind === "context")).toMatchObject({
    recalled: expect.arrayContaining([expect.objectContaining({ depth: 12 })]),
  });
  const [line] = (await client.listReceipts({ params: { threadId } })).receipts;
  const { receipt } = await client.getReceipt({ params: { threadId, receiptId: line!.id } });
  expect(receipt.items).toContainEqual(expect.objectContaining({ kind: "recall", depth: 12 }));
  expect(receipt.promptTokens).toBeLessThan(8_000);
  expect(await client.getRequest({ params: { threadId, receiptId: line!.id } })).toMatchObject({ verified: true });
});

test("control: without the fact it says that it does not know", async () => {
  const { answer } = await ask("I keep them in the usual places.");
  expect(textOf(answer.parts)).not.toContain("barometer");
  expect(textOf(answer.parts)).toMatch(/do not know/i);
});
