import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { openThreadClient } from "../../test/support/server/thread-client.ts";
import { readConfig } from "../config/config.ts";
import { serve, type Server } from "../serve.ts";
import type { Batch, Store } from "../store/contract.ts";
import { threadTables } from "../store/schema.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-claim-"));
let server: Server;
let commits: (readonly Batch[])[] = [];
/** Runs before a transaction that contains an admission. */
let beforeAdmission: (store: Store) => Promise<unknown> = async () => {};

beforeAll(async () => {
  const settings = { STONECHAT_PORT: "0", STONECHAT_SCRIPTED: "1", STONECHAT_LOG: "error" };
  server = await serve(readConfig({ ...settings, STONECHAT_DATA: folder }), {
    wrapStore: (store) => ({
      ...store,
      commit: async (batches) => {
        commits.push(batches);
        if (batches.some((batch) => touches(batch, "inputs", "insert"))) await beforeAdmission(store);
        return store.commit(batches);
      },
    }),
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const touches = ({ writes }: Batch, table: string, act: string): boolean =>
  writes.some((write) => write.table === table && write.do === act);

const open = async () => openThreadClient({ url: server.url, client: createClient({ baseUrl: server.url }) });

test("admission, delivery and the first call's intent are committed in one transaction unless preparing takes too long", async () => {
  const talk = await open();
  let together = 0;
  for (let turn = 0; turn < 8; turn += 1) {
    commits = [];
    await talk.answered(await talk.send(`say ${turn}`));
    const at = (table: string): number => commits.flat().findIndex((batch) => touches(batch, table, "insert"));
    expect(at("inputs")).toBeLessThan(at("runs"));
    expect(at("runs")).toBeLessThanOrEqual(at("calls"));
    const first = commits.find((batches) => batches.some((batch) => touches(batch, "inputs", "insert"))) ?? [];
    if (!first.some((batch) => touches(batch, "calls", "insert"))) continue;
    expect(first.filter((batch) => touches(batch, "runs", "insert") && touches(batch, "calls", "insert"))).toHaveLength(
      1,
    );
    together += 1;
  }
  expect(together).toBeGreaterThan(0);
  talk.close();
});

test("a prefetched delivery fails if its admission is rejected", async () => {
  const talk = await open();
  await talk.answered(await talk.send("say one"));
  // Deletes the thread right before the commit, so that both the admission and the delivery fail.
  beforeAdmission = async ({ commit }) => {
    beforeAdmission = async () => {};
    const emptied = threadTables.map((table) => ({ do: "delete", table, where: { thread: talk.threadId } }) as const);
    await commit([
      { events: [], writes: [...emptied, { do: "delete", table: "threads", where: { id: talk.threadId } }] },
    ]);
  };
  await expect(talk.send("say two")).rejects.toThrow();
  expect(await server.store.read.runs(talk.threadId, 10)).toEqual([]);
  expect(await server.store.read.queued(talk.threadId)).toEqual([]);
  talk.close();
});

test("messages sent at the same time are each answered once", async () => {
  const talk = await open();
  const ids = await Promise.all(["say one", "say two", "say three"].map((words) => talk.send(words)));
  for (const id of ids) await talk.answered(id);
  expect(await server.store.read.runs(talk.threadId, 10)).toHaveLength(3);
  talk.close();
});
