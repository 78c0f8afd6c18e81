import { expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { say, startInstance, type Instance } from "../support/instance.ts";

/** A model that remembers what it was sent, in a window of 32,000 tokens as long as none is known. */
async function startListening() {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    script: (request) => {
      requests.push(request);
      return say(`answer ${requests.length} ${"and on ".repeat(120)}`);
    },
  });
  return { requests, ...instance };
}

async function chat({ send, follow, start }: Pick<Instance, "send" | "follow" | "start">, turns: number) {
  const threadId = await start();
  const live = follow(threadId);
  for (let turn = 1; turn <= turns; turn += 1) {
    await send(threadId, `question ${turn} ${"of many words ".repeat(60)}`);
    await live.ended(turn);
  }
  return { threadId, live };
}

const textsOf = ({ messages }: ModelRequest): string[] =>
  messages.map((message) => (message.role === "user" ? message.text : JSON.stringify(message)));

test("every request can be built again from its receipt, byte for byte, through compactions", async () => {
  const { client, requests, ...instance } = await startListening();
  const { threadId } = await chat(instance, 40);
  const { receipts } = await client.listReceipts({ params: { threadId } });
  expect(receipts).toHaveLength(40);
  expect(receipts.filter(({ opened }) => opened === "full").length).toBeGreaterThan(0);
  for (const [index, { id, call }] of receipts.toReversed().entries()) {
    const params = { threadId, receiptId: id };
    const built = await client.getRequest({ params });
    expect(built).toMatchObject({ verified: true, missing: [] });
    const sent = requests[index]!;
    const userTexts = sent.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
    expect(built.blocks.flatMap(({ role, text }) => (role === "user" ? [text] : []))).toEqual(userTexts);
    expect(call).toMatchObject({ purpose: "answer", outcome: "ok" });
  }
  const context = await client.getContext({ params: { threadId } });
  expect(context.policy).toBe("stone");
  expect(context.epochs[0]).toMatchObject({ reason: "full", undone: false });
  expect(context.epochs[0]!.tokensAfter).toBeLessThan(context.epochs[0]!.tokensBefore);
});

test("a part that was changed behind our back is noticed (control)", async () => {
  const { client, server, ...instance } = await startListening();
  const { threadId } = await chat(instance, 1);
  const [receipt] = (await client.listReceipts({ params: { threadId } })).receipts;
  const { messages } = await client.getThread({ params: { threadId } });
  const [row] = await server.store.read.partsOf(threadId, [messages[0]!.id]);
  const body = row!.body.replace("question", "demand");
  const where = { thread: threadId, message: row!.message, n: row!.n };
  await server.store.commit([{ events: [], writes: [{ do: "update", table: "parts", set: { body }, where }] }]);
  const built = await client.getRequest({ params: { threadId, receiptId: receipt!.id } });
  expect(built.verified).toBe(false);
});

test("a preview equals the later request and stores nothing", async () => {
  const { client, requests, send, follow, start } = await startListening();
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "one");
  await live.ended(1);
  const before = await client.getThread({ params: { threadId } });
  const preview = await client.previewContext({ params: { threadId }, body: { text: "two" } });
  expect(await client.getThread({ params: { threadId } })).toEqual(before);
  await send(threadId, "two");
  await live.ended(2);
  const toClock = (texts: readonly string[]) => texts.map((text) => text.replace(/\d\d:\d\d UTC/, "now"));
  const shown = preview.blocks.filter(({ role }) => role === "user").map(({ text }) => text);
  const sent = textsOf(requests[1]!).filter((text) => !text.startsWith("{"));
  expect(toClock(shown)).toEqual(toClock(sent));
  expect(preview.receipt.promptTokens).toBeGreaterThan(0);
});

test("an undone compaction restores the replaced messages in the next prompt", async () => {
  const { client, requests, send, ...instance } = await startListening();
  const { threadId, live } = await chat({ ...instance, send }, 40);
  const { epochs } = await client.getContext({ params: { threadId } });
  expect(textsOf(requests.at(-1)!)[0]).toContain("<context");
  for (const { id } of epochs) {
    const undone = await client.undoEpoch({ params: { threadId, epochId: id }, body: { id: `undo-${id}` } });
    expect(undone.undone).toBe(true);
  }
  await send(threadId, "show me");
  await live.ended(41);
  const texts = textsOf(requests.at(-1)!);
  expect(texts.some((text) => text.startsWith("question 1 "))).toBe(true);
  expect(texts.some((text) => text.startsWith("<context"))).toBe(false);
});

test("a pin is in every prompt from the next call on, and gone after it was removed", async () => {
  const { client, requests, send, follow, start } = await startListening();
  const threadId = await start();
  const live = follow(threadId);
  const pin = { id: "pin-1", text: "The boat is called Petrel." };
  await client.addPin({ params: { threadId }, body: pin });
  expect(await client.addPin({ params: { threadId }, body: pin })).toMatchObject({ id: "pin-1" });
  await expect(client.addPin({ params: { threadId }, body: { ...pin, text: "other" } })).rejects.toThrow(/another id/);
  for (const [turn, text] of ["one", "two"].entries()) {
    await send(threadId, text);
    await live.ended(turn + 1);
  }
  expect(
    textsOf(requests[1]!)
      .join("\n")
      .match(/Petrel/g),
  ).toHaveLength(1);
  expect((await client.getContext({ params: { threadId } })).pins).toMatchObject([pin]);
  await client.removePin({ params: { threadId, pinId: "pin-1" } });
  expect((await client.getContext({ params: { threadId } })).pins).toEqual([]);
});

test("each classic policy can be chosen, and its requests are built again too", async () => {
  const { client, requests, send, ...instance } = await startListening();
  const { threadId, live } = await chat({ ...instance, send }, 8);
  for (const [index, policy] of (["transcript", "replay", "snapshot", "messages", "summary"] as const).entries()) {
    await client.changeThread({ params: { threadId }, body: { id: `to-${policy}`, policy } });
    await send(threadId, `with ${policy}`);
    await live.ended(9 + index);
    const [line] = (await client.listReceipts({ params: { threadId } })).receipts;
    expect(line).toMatchObject({ policy });
    const { receipt } = await client.getReceipt({ params: { threadId, receiptId: line!.id } });
    expect(receipt.epoch.opened).toBeNull();
    const built = await client.getRequest({ params: { threadId, receiptId: line!.id } });
    expect(built, policy).toMatchObject({ verified: true, missing: [] });
    expect(textsOf(requests.at(-1)!).join("\n")).toContain(`with ${policy}`);
  }
});
