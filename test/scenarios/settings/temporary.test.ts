import { expect, onTestFinished, test } from "vitest";
import { TEMPORARY_MS, createTemporaryKind } from "../../../server/thread/temporary.ts";
import { call, followStream, mintId, say } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { systemIds as ids } from "../../../server/lib/ids.ts";
import { threadTables } from "../../../server/store/schema.ts";
import { describeOnBoth, type Start } from "./on-both.ts";

const remember = call({
  name: "working_memory",
  input: JSON.stringify({ changes: [{ field: "name", op: "replace", value: "Ann", reason: "they said so" }] }),
});

const tell = async (start: Start) => {
  const offered: string[][] = [];
  let step = 0;
  const instance = await start({
    tools: [
      tool({
        name: "look",
        execute: async (_, context) => {
          context.saveArtifact({ kind: "page", title: "Obsidian", type: "text/plain", text: "a page about obsidian" });
          return { output: "kept" };
        },
      }),
    ],
    script: (request) => {
      offered.push(request.tools.map(({ name }) => name));
      return [remember, call({ name: "look", input: "{}" })][step++] ?? say("It is about obsidian.");
    },
  });
  const chat = async (temporary: boolean) => {
    step = 0;
    const threadId = await instance.start(temporary ? { temporary } : {});
    const live = instance.follow(threadId);
    await instance.send(threadId, "Remember that I am Ann, and tell me of obsidian");
    await live.ended();
    return { threadId, live };
  };
  return { ...instance, offered, chat };
};

describeOnBoth("a temporary thread", (start) => {
  test("answers normally, and is not in any list, search or memory", async () => {
    const { client, chat, url, offered } = await tell(start);
    const person = followStream(`${url}/api/stream?after=0`);
    onTestFinished(() => person.close());
    const { threadId, live } = await chat(true);
    const { thread, messages } = await client.getThread({ params: { threadId } });
    expect(thread).toMatchObject({ id: threadId, temporary: true });
    expect(messages).toHaveLength(2);
    expect((await client.listThreads({})).threads).toEqual([]);
    expect((await client.search({ query: { q: "obsidian" } })).hits).toEqual([]);
    expect((await client.getMemory({})).memory.name).toBeNull();
    expect(offered.flat()).not.toContain("working_memory");
    const asked = live
      .view()
      .messages.at(-1)
      ?.parts.find((part) => part.kind === "tool");
    expect(asked).toMatchObject({ name: "working_memory", state: "error" });
    expect(person.rows.some(({ event }) => event.type === "thread-created")).toBe(false);

    // Control: the same words in an ordinary thread are found and remembered.
    const stays = await chat(false);
    expect((await client.listThreads({})).threads.map(({ id }) => id)).toEqual([stays.threadId]);
    const { hits } = await client.search({ query: { q: "obsidian" } });
    expect(hits.map(({ kind }) => kind).toSorted()).toContain("fetched");
    expect(hits.every((hit) => hit.thread?.id === stays.threadId)).toBe(true);
    expect((await client.getMemory({})).memory.name).toMatchObject({ value: "Ann" });
  });

  test("is deleted with all its rows when the user leaves it", async () => {
    const { client, chat, server } = await tell(start);
    const { threadId } = await chat(true);
    expect((await server.store.read.countRows(["jobs"], threadId))["jobs"]).toBe(1);
    await client.deleteThread({ params: { threadId } });
    await expect(client.getThread({ params: { threadId } })).rejects.toMatchObject({ code: "not-found" });
    const left = await server.store.read.countRows(threadTables, threadId);
    expect(Object.values(left).every((count) => count === 0)).toBe(true);
  });

  test("is deleted a day after its last turn, not earlier", async () => {
    const { chat, server } = await tell(start);
    const { threadId } = await chat(true);
    const { read } = server.store;
    const row = (await read.thread(threadId))!;
    const removed: string[] = [];
    const lookAt = (now: number) =>
      createTemporaryKind({
        read,
        clock: { now: () => now, monotonic: () => now },
        ids,
        threads: {
          remove: async ({ userId }, id) => {
            removed.push(`${userId} ${id}`);
            return { id };
          },
        },
      }).run(
        { id: "j", kind: "", key: "", threadId, ownerId: "local", body: {}, attempts: 1, epoch: 1 },
        new AbortController().signal,
      );
    const early = await lookAt(row.updated_at + TEMPORARY_MS - 1);
    expect(removed).toEqual([]);
    const planned = early.writes.flatMap((write) =>
      write.do === "insert" && write.table === "jobs" ? [write.row] : [],
    );
    expect(planned).toMatchObject([{ thread: threadId, not_before: row.updated_at + TEMPORARY_MS, state: "waiting" }]);
    await lookAt(row.updated_at + TEMPORARY_MS);
    expect(removed).toEqual([`local ${threadId}`]);
  });

  test("an ordinary thread is never deleted as temporary", async () => {
    const { client, start: open } = await start();
    const threadId = await open();
    expect((await client.getThread({ params: { threadId } })).thread.temporary).toBe(false);
    const again = client.createThread({ body: { id: threadId, temporary: true } });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
    expect(await client.createThread({ body: { id: mintId(), temporary: true } })).toMatchObject({ temporary: true });
  });
});
