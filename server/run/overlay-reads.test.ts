import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRunDeps } from "../../test/support/server/run-deps.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemIds as ids } from "../lib/ids.ts";
import { createLog, type Log } from "../log/log.ts";
import type { Models } from "../model/model.ts";
import type { Store } from "../store/contract.ts";
import { openStore } from "../store/open.ts";
import { createUserActions } from "../thread/user-actions.ts";
import { loadWindow } from "../thread/path.ts";
import { createThreads } from "../thread/threads.ts";
import { planDelivery } from "./deliver.ts";
import { overlayReads } from "./overlay-reads.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-overlay-"));
let store: Store;
let log: Log;
beforeAll(async () => {
  store = await openStore({ directory: folder, databaseUrl: null });
  log = createLog({ store, clock, onError: () => {} });
});
afterAll(async () => {
  await log.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const user = { userId: "local" };

async function openThread(id: string) {
  const shared = { find: () => undefined, defaultId: "scripted/scripted" };
  const models = { ...shared, forUser: () => shared } as unknown as Models;
  const threads = createThreads({ store, log, models, clock, ids });
  const admit = createUserActions({ store, log, threads, models, clock });
  await threads.addUser(user.userId);
  await threads.create(user as never, { id, profile: "stone" });
  const deps = createRunDeps({ store, log, models, clock, ids });
  /** Admits a message and plans its delivery without committing it. */
  const planNext = async (text: string) => {
    await admit.send(user as never, id, { id: ids.next(), text, mode: "queue" });
    const [thread, [input]] = [await store.read.thread(id), await store.read.queued(id)];
    const delivery = await planDelivery(deps, thread!, input!);
    return { state: delivery.state, batch: delivery.toBatch(delivery.state) };
  };
  return { planNext };
}

test("overlaid reads return the same rows before the commit as the store does after it", async () => {
  const { planNext } = await openThread("grows");
  for (let turn = 1; turn <= 4; turn += 1) {
    const { state, batch } = await planNext(`turn ${turn}`);
    const window = { thread: "grows", branch: state.branchId, count: 5 };
    const overlaid = await loadWindow(overlayReads(store.read, batch)!, window);
    const stored = await loadWindow(store.read, window);
    expect((await log.commit(batch)).ok).toBe(true);
    expect(overlaid).toEqual(await loadWindow(store.read, window));
    expect(overlaid).not.toEqual(stored);
    const ended = { do: "update", table: "runs", set: { ended: 1 }, where: { id: state.view.id } } as const;
    await log.commit({ events: [], writes: [ended] });
  }
});

test("reads nothing for the first message of a thread", async () => {
  const { planNext } = await openThread("begins");
  const { state, batch } = await planNext("one");
  const unread = Object.fromEntries(
    Object.keys(store.read).map((name) => [name, () => Promise.reject(new Error(`${name} was read.`))]),
  ) as unknown as Store["read"];
  // With no ids it reads nothing.
  const reads = overlayReads({ ...unread, partsOf: store.read.partsOf }, batch)!;
  const { messages } = await loadWindow(reads, { thread: "begins", branch: state.branchId, count: 5 });
  expect(messages.map(({ depth }) => depth)).toEqual([1, 2]);
  expect(await reads.receipts("begins", 1, null)).toEqual([]);
  expect(await reads.compactionMarks("begins", 1)).toEqual([]);
});

test("rejects reads whose result the delivery may change", async () => {
  const { planNext } = await openThread("asks");
  const { state, batch } = await planNext("one");
  const reads = overlayReads(store.read, batch)!;
  await expect(reads.run(state.view.id)).rejects.toThrow("run");
  const place = { thread: "asks", branch: state.branchId, upTo: 1 };
  await expect(reads.segments(place, 5)).rejects.toThrow("ends before the planned messages");
});

test("returns undefined for a delivery that forks a branch", async () => {
  const { planNext } = await openThread("forks");
  const { batch } = await planNext("one");
  const row = { thread: "forks", id: "b", parent: "a", fork_depth: 1, tip: 1, used_at: 0 };
  const fork = { do: "insert", table: "branches", row } as const;
  expect(overlayReads(store.read, { ...batch, writes: [fork, ...batch.writes] })).toBeUndefined();
});
