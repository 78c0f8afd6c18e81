import { expect, test } from "vitest";
import { z } from "zod";
import type { PartOf } from "../../protocol/parts.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { call, mintId, say, startInstance, type Follower, type Instance } from "../support/instance.ts";

const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));

/** A model that stores `field: value` from the message in memory. */
const startRemembering = async () => {
  const prompts: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request));
      const last = request.messages.findLast(({ role }) => role === "user");
      const [, field, value] = /(\w+): ([\w ]+)/.exec(last?.role === "user" ? last.text : "") ?? [];
      const isDone = request.messages.at(-1)?.role === "tool" || field === undefined;
      const changes = [{ field, op: "append", value, reason: `they said ${value}` }];
      return isDone ? say("fine") : call({ name: "working_memory", input: JSON.stringify({ changes }) });
    },
  });
  const turns = new Map<string, number>();
  const tell = async (threadId: string, text: string): Promise<void> => {
    const turn = (turns.get(threadId) ?? 0) + 1;
    turns.set(threadId, turn);
    const live = instance.follow(threadId);
    await instance.send(threadId, text);
    await live.ended(turn);
    live.close();
  };
  return { ...instance, tell, prompts };
};
const values = async ({ client }: Pick<Instance, "client">) => {
  const { memory } = await client.getMemory({ query: {} });
  return Object.fromEntries(Object.entries(memory).flatMap(([field, held]) => (held ? [[field, held.value]] : [])));
};

test("each field says where it came from, and each change what replaced it", async () => {
  const instance = await startRemembering();
  const { client, start, tell } = instance;
  const [one, two] = [await start(), await start()];
  await tell(one, "notes: plays the oboe");
  await tell(two, "notes: has a cat");
  const { memory, changes } = await client.getMemory({ query: {} });
  expect(memory.notes).toMatchObject({ threadId: two, reason: "they said has a cat", messageId: expect.any(String) });
  expect(changes.map(({ threadId, replacedBy }) => [threadId, replacedBy])).toEqual([
    [two, null],
    [one, changes[0]?.id],
  ]);
});

test("deleting a thread can also delete memory from it, and lists that memory before", async () => {
  const instance = await startRemembering();
  const { client, start, tell } = instance;
  const [one, two] = [await start(), await start()];
  await tell(one, "notes: plays the oboe");
  await tell(one, "location: Lisbon");
  await tell(two, "notes: has a cat");
  const { changes, fields } = await client.memoryOfThread({ params: { threadId: one } });
  expect(fields).toEqual(["location", "notes"]);
  expect(changes.map(({ after }) => after)).toEqual(["Lisbon", "plays the oboe"]);
  await client.deleteThread({ params: { threadId: one }, query: { forget: "true" } });
  expect(await values(instance)).toEqual({ notes: "has a cat" });
  const taken = JSON.stringify(await client.exportMemory({ params: {} }));
  for (const gone of ["oboe", "Lisbon"]) expect(taken).not.toContain(gone);
  await expect(client.memoryOfThread({ params: { threadId: one } })).rejects.toMatchObject({ status: 404 });
});

test("memory of a deleted thread stays and can still be deleted by thread", async () => {
  const instance = await startRemembering();
  const { client, start, tell } = instance;
  const threadId = await start();
  await tell(threadId, "notes: plays the oboe");
  await client.deleteThread({ params: { threadId } });
  expect(await values(instance)).toEqual({ notes: "plays the oboe" });
  const forgotten = await client.forgetMemory({ body: { id: mintId(), threadId } });
  expect(forgotten.text).toBe("Deleted the memory from this thread, with its history. This cannot be undone.");
  expect(await values(instance)).toEqual({});
});

test("deleted memory is in no later prompt, and undo does not restore it", async () => {
  const instance = await startRemembering();
  const { client, start, tell, prompts } = instance;
  await tell(await start(), "notes: plays the oboe");
  const [change] = (await client.getMemory({ query: {} })).changes;
  prompts.length = 0;
  await tell(await start(), "hello");
  expect(prompts.join()).toContain("oboe");
  const { text, memory } = await client.forgetMemory({ body: { id: mintId(), field: "notes" } });
  expect(text).toBe("Deleted your notes, with its history. This cannot be undone.");
  expect(memory.notes).toBeNull();
  await expect(client.undoMemory({ body: { id: mintId(), changeId: change!.id } })).rejects.toMatchObject({
    status: 404,
  });
  prompts.length = 0;
  await tell(await start(), "hello again");
  expect(prompts).toHaveLength(1);
  expect(prompts.join()).not.toContain("oboe");
});

test("memory is exported with its sources and history", async () => {
  const instance = await startRemembering();
  const { client, start, tell } = instance;
  const threadId = await start();
  for (const word of ["tea", "granite", "jazz"]) await tell(threadId, `interests: ${word}`);
  const { memory, changes, exportedAt } = await client.exportMemory({ params: {} });
  expect(exportedAt).toBeGreaterThan(0);
  expect(memory.interests).toMatchObject({ value: "tea\ngranite\njazz", threadId });
  expect(changes.map(({ before }) => before)).toEqual(["tea\ngranite", "tea", ""]);
});

test("a secret typed in by hand is refused with what to do", async () => {
  const { client } = await startInstance();
  const edit = client.setMemory({ body: { id: mintId(), field: "notes", value: "the password: hunter2horse!" } });
  await expect(edit).rejects.toMatchObject({ status: 400, message: expect.stringContaining("looks like a secret") });
});

test.each(["once", "deny"] as const)(
  "a fact from text of others waits on its card, and %s decides",
  async (decision) => {
    const page = defineTool({
      name: "page",
      description: "reads a page",
      input: z.object({}),
      repeat: "pure",
      effects: ["read"],
      untrusted: true,
      limits: { timeoutMs: 1000 },
      execute: async () => ({ output: "The reader's favourite stone is basalt." }),
    });
    const changes = [{ field: "interests", op: "append", value: "basalt", reason: "a page says so" }];
    const steps = [
      call({ name: "page", input: "{}" }),
      call({ name: "working_memory", input: JSON.stringify({ changes }) }),
    ];
    const { start, send, follow, client } = await startInstance({
      tools: [page],
      script: (_, index) => steps[index] ?? say("done"),
    });
    const threadId = await start();
    const live = follow(threadId);
    await send(threadId, "read it");
    await live.until(() => toolParts(live).some(({ state }) => state === "asking"));
    const asking = toolParts(live).find(({ state }) => state === "asking")!;
    expect(asking).toMatchObject({ title: "Remember interests: basalt", asks: { code: "remembers" } });
    expect((await client.exportMemory({ params: {} })).changes).toEqual([]);
    await client.decideCall({ params: { threadId }, body: { id: mintId(), partId: asking.id, decision } });
    await live.ended();
    const { memory, changes: kept } = await client.exportMemory({ params: {} });
    const stands = decision === "once";
    expect(memory.interests?.value).toBe(stands ? "basalt" : undefined);
    expect(kept.map(({ threadId: from }) => from)).toEqual(stands ? [threadId] : []);
  },
);
