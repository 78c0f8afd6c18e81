import { expect, test } from "vitest";
import { threadTables } from "../../server/store/schema.ts";
import { createGate, mintId, say, startInstance } from "../support/instance.ts";

test("a custom title is kept when the first message is sent", async () => {
  const { start, send, follow, client } = await startInstance({ script: () => say("ok") });
  const threadId = await start();
  await client.changeThread({ params: { threadId }, body: { id: mintId(), title: "My own name" } });
  const live = follow(threadId);
  await send(threadId, "Something else entirely");
  await live.ended();
  expect((await client.getThread({ params: { threadId } })).thread.title).toBe("My own name");
});

test("lists pinned threads first and archived ones separately, in pages without gaps or duplicates", async () => {
  const { start, client } = await startInstance();
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.push(await start());
  const change = (threadId: string, body: { pinned?: boolean; archived?: boolean }) =>
    client.changeThread({ params: { threadId }, body: { id: mintId(), ...body } });
  await change(ids[2] ?? "", { pinned: true });
  await change(ids[5] ?? "", { archived: true });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listThreads({ query: { limit: 2, ...(cursor ? { cursor } : {}) } });
    seen.push(...page.threads.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual([ids[2], ids[6], ids[4], ids[3], ids[1], ids[0]]);
  const archived = await client.listThreads({ query: { archived: "true" } });
  expect(archived.threads.map(({ id }) => id)).toEqual([ids[5]]);
  await expect(client.listThreads({ query: { cursor: "absurd" } })).rejects.toMatchObject({ status: 400 });
});

test("streams changes of the thread list: created, titled, streaming, idle, deleted", async () => {
  const { url, start, send, client } = await startInstance({ script: () => say("ok") });
  const { followStream } = await import("../support/instance.ts");
  const list = followStream(`${url}/api/stream?after=0`);
  const threadId = await start();
  await send(threadId, "Hello list");
  const changes = () =>
    list.rows.map(({ event }) => (event.type === "thread-changed" ? event.patch.status : event.type));
  await list.until(() => changes().includes("idle"));
  await client.deleteThread({ params: { threadId } });
  await list.until(() => changes().includes("thread-deleted"));
  expect(changes()).toEqual(["thread-created", "streaming", "idle", "thread-deleted"]);
  list.close();
});

test("deleting a thread removes all its rows, ends its stream and stops its run", async () => {
  const gate = createGate();
  const { server, start, send, follow, client } = await startInstance({
    script: async function* (_request, _index, signal) {
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "a secret answer" };
      await Promise.race([gate.passed, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    },
  });
  const threadId = await start();
  const kept = await start();
  const live = follow(threadId);
  await send(threadId, "a secret question");
  await live.until(({ messages }) => messages[1]?.parts.some((part) => part.kind === "text") ?? false);
  await client.deleteThread({ params: { threadId } });
  expect((await live.until(({ deleted }) => deleted)).messages).toEqual([]);
  await expect(client.getThread({ params: { threadId } })).rejects.toMatchObject({ status: 404 });
  await expect(send(threadId, "anyone?")).rejects.toMatchObject({ status: 404 });
  const rows = await server.store.read.events(`thread:${threadId}`, 0, 100);
  expect(rows.map(({ body }) => body)).toEqual([JSON.stringify({ type: "thread-deleted", threadId })]);
  const counts = await server.store.read.countRows(threadTables, threadId);
  expect(counts).toEqual(Object.fromEntries(threadTables.map((table) => [table, 0])));
  const listed = await server.store.read.events("user:local", 0, 100);
  expect(listed.map(({ body }) => body).join()).not.toContain("secret");
  expect(listed.at(-1)?.body).toBe(JSON.stringify({ type: "thread-deleted", threadId }));
  await expect(start({ id: threadId })).rejects.toMatchObject({ status: 409 });
  expect((await client.search({ query: { q: "secret" } })).hits).toEqual([]);
  expect((await client.getThread({ params: { threadId: kept } })).thread.id).toBe(kept);
});

test("search finds titles and messages in many languages, newest first, with marked hits", async () => {
  const { start, send, follow, client } = await startInstance({
    script: () => say("Der Vogel heißt Schwarzkehlchen."),
  });
  const first = await start();
  const live = follow(first);
  await send(first, "Which bird is the stonechat? Ένα πουλί, 野鶲という鳥");
  await live.ended();
  const second = await start();
  await client.changeThread({ params: { threadId: second }, body: { id: mintId(), title: "Café plans" } });

  const find = async (q: string) => (await client.search({ query: { q } })).hits;
  expect(await find("schwarzkehl")).toMatchObject([{ thread: { id: first }, marks: [[16, 31]] }]);
  expect((await find("ΠΟΥΛΊ")).map(({ messageId }) => messageId === null)).toEqual([false, true]);
  expect((await find("という")).map(({ messageId }) => messageId === null)).toEqual([false, true]);
  expect(await find("cafe")).toMatchObject([{ thread: { id: second }, messageId: null }]);
  expect(await find("stonechat bird")).not.toHaveLength(0);
  expect(await find("nowhere")).toEqual([]);
  expect(await find('" OR 1=1 -- *')).toEqual([]);
});

test("the list shows a preview for an answer that is only Markdown syntax", async () => {
  const { client, start, send, follow } = await startInstance({ script: () => say("***") });
  const threadId = await start();
  await send(threadId, "Three stars, please");
  await follow(threadId).ended();
  expect((await client.listThreads({})).threads[0]).toMatchObject({ id: threadId, preview: "***" });
});
