import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

test("memory is sent once as a context update before the user's message, never in the system prompt", async () => {
  const prompts: string[][] = [];
  const systems: string[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      systems.push(request.system);
      prompts.push(request.messages.flatMap((message) => (message.role === "user" ? [message.text] : [])));
      return say("hello");
    },
  });
  const remember = (id: string, value: string) => client.setMemory({ params: {}, body: { id, field: "name", value } });
  await remember("edit-1", "Ada");
  const threadId = await start({ profile: "assistant" });
  const live = follow(threadId);
  for (const [turn, text] of ["hi", "again", "and now"].entries()) {
    if (turn === 2) await remember("edit-2", "Grace");
    await send(threadId, text);
    await live.ended(turn + 1);
  }
  expect(systems.join()).not.toContain("Ada");
  expect(systems[0]).toContain("use working_memory first, before other tools");
  expect(prompts[0]?.[0]).toContain('name: "Ada"');
  expect(prompts[1]?.slice(1)).toEqual(["hi", "again"]);
  expect(prompts[2]?.slice(0, 3)).toEqual(prompts[1]);
  expect(prompts[2]?.[3]).toContain('name: "Grace"');
});

test("deleted memory is in no later prompt and in no stored record of earlier ones", async () => {
  const prompts: string[] = [];
  const { start, send, follow, client, server } = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request));
      return say("hello");
    },
  });
  await client.setMemory({ params: {}, body: { id: "edit-1", field: "location", value: "Saint-Malo" } });
  await client.setMemory({ params: {}, body: { id: "edit-2", field: "name", value: "Ada" } });
  const threadId = await start({ profile: "assistant" });
  const live = follow(threadId);
  await send(threadId, "hi");
  await live.ended(1);
  expect(prompts[0]).toContain("Saint-Malo");
  await client.forgetMemory({ params: {}, body: { id: "forget-1", field: "location" } });
  for (const [turn, text] of ["again", "once more"].entries()) {
    await send(threadId, text);
    await live.ended(turn + 2);
  }
  for (const prompt of prompts.slice(1)) {
    expect(prompt).not.toContain("Saint-Malo");
    expect(prompt).toContain("Ada");
  }
  const rows = await server.store.read.partsOf(
    threadId,
    live.view().messages.map(({ id }) => id),
  );
  expect(JSON.stringify(rows)).not.toContain("Saint-Malo");
  const { epochs } = await client.getContext({ params: { threadId } });
  expect(epochs).toMatchObject([{ reason: "deleted" }]);
  const { receipts } = await client.listReceipts({ params: { threadId } });
  const verified = await Promise.all(
    receipts.map(async ({ id }) => (await client.getRequest({ params: { threadId, receiptId: id } })).verified),
  );
  expect(verified).toEqual([true, true, false]);
});
