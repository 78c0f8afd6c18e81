import { expect, test } from "vitest";
import { say } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { until } from "../../support/server/until.ts";
import { importFile, listAll } from "../../support/transfer.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const DAY_MS = 86_400_000;

function createClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    monotonic: () => performance.now(),
    pass: (days: number) => void (ahead += days * DAY_MS),
  };
}

const oldChat = JSON.stringify([
  {
    uuid: "chat",
    name: "From 2023",
    created_at: "2023-01-01T00:00:00Z",
    chat_messages: [{ uuid: "m", text: "hello" }],
  },
]);

describeOnBoth("retention", (start) => {
  test("archives and deletes what is older than set, except pinned, changed and newly imported threads", async () => {
    const clock = createClock();
    const env = {
      STONECHAT_ARCHIVE_THREADS_DAYS: "10",
      STONECHAT_DELETE_RECEIPTS_DAYS: "20",
      STONECHAT_DELETE_THREADS_DAYS: "30",
    };
    const instance = await start({ clock, env, script: () => say("an answer") });
    const { client, url, start: create, send, follow } = instance;
    const ask = async (threadId: string, count: number) => {
      const live = follow(threadId);
      await send(threadId, "a question");
      await live.ended(count);
      live.close();
    };
    const [old, pinned, used] = [
      await create({ title: "old" }),
      await create({ title: "pinned" }),
      await create({ title: "used" }),
    ];
    for (const id of [old, pinned, used]) await ask(id, 1);
    await client.changeThread({ params: { threadId: pinned }, body: { id: "pin", pinned: true } });
    const archived = async () =>
      (await client.listThreads({ query: { archived: "true" } })).threads.map(({ title }) => title);
    const receipts = async (threadId: string) => (await client.listReceipts({ params: { threadId } })).receipts.length;
    expect(await archived()).toEqual([]);

    clock.pass(9);
    await ask(used, 2);
    expect((await importFile(url, "old.json", oldChat)).import.counts.threads).toBe(1);
    clock.pass(2);
    await until("the old thread is archived", async () => (await archived()).length > 0);
    expect(await archived()).toEqual(["old"]);
    expect(await receipts(pinned)).toBe(1);

    clock.pass(10);
    await until("the oldest receipts are deleted", async () => (await receipts(pinned)) === 0);
    expect(await receipts(used)).toBe(1);
    // The answers stay.
    expect((await client.getThread({ params: { threadId: used } })).messages).toHaveLength(4);

    const live = follow(old);
    clock.pass(10);
    await until("the old thread is deleted", async () => !(await archived()).includes("old"));
    await until("its open page sees it", async () => live.rows.some(({ event }) => event.type === "thread-deleted"));
    await until("the others are archived", async () => (await archived()).length === 2);
    expect((await archived()).toSorted()).toEqual(["From 2023", "used"]);
    expect((await listAll(client)).map(({ title }) => title)).not.toContain("old");
  });

  test("nothing is deleted without a rule, and a rule of less than a week is refused", async () => {
    const clock = createClock();
    const { dataDir, databaseUrl, start: create, client } = await start({ clock });
    await create({ title: "stays" });
    clock.pass(10_000);
    const place = { dataDir, ...(databaseUrl === "" ? {} : { databaseUrl }) };
    expect(await query(place, "select id from jobs where kind = 'retention'")).toEqual([]);
    expect((await listAll(client)).map(({ title }) => title)).toEqual(["stays"]);
    await expect(start({ env: { STONECHAT_DELETE_THREADS_DAYS: "3" } })).rejects.toThrow(
      "STONECHAT_DELETE_THREADS_DAYS must be a whole number from 7 to 36500",
    );
  });
});
