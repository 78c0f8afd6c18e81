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
import { createAdmit } from "../thread/admit.ts";
import { loadWindow } from "../thread/path.ts";
import { createThreads } from "../thread/threads.ts";
import { planDelivery } from "./deliver.ts";
import { toPlannedReads } from "./overlay-reads.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-planned-"));
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

const person = { userId: "local" };

async function openThread(id: string) {
  const models = { find: () => undefined, defaultId: "scripted/scripted" } as unknown as Models;
  const threads = createThreads({ store, log, models, clock, ids });
  const admit = createAdmit({ store, log, threads, models, clock });
  await threads.addUser(person.userId);
  await threads.create(person as never, { id, profile: "stone" });
  const deps = createRunDeps({ store, log, models, clock, ids });
  /** The next message, planned: with its run, if there is one, out of the way. */
  const planNext = async (text: string) => {
    await admit.send(person as never, id, { id: ids.next(), text, mode: "queue" });
    const [thread, [input]] = [await store.read.thread(id), await store.read.queued(id)];
    const delivery = await planDelivery(deps, thread!, input!);
    return { state: delivery.state, batch: delivery.toBatch(delivery.state) };
  };
  return { planNext };
}

test("what is planned is read as it is once it stands, from the first message on and past the window", async () => {
  const { planNext } = await openThread("grows");
  for (let turn = 1; turn <= 4; turn += 1) {
    const { state, batch } = await planNext(`turn ${turn}`);
    const window = { thread: "grows", branch: state.branchId, count: 5 };
    const foreseen = await loadWindow(toPlannedReads(store.read, batch)!, window);
    const unforeseen = await loadWindow(store.read, window);
    expect((await log.commit(batch)).ok).toBe(true);
    expect(foreseen).toEqual(await loadWindow(store.read, window));
    expect(foreseen).not.toEqual(unforeseen);
    const ended = { do: "update", table: "runs", set: { ended: 1 }, where: { id: state.view.id } } as const;
    await log.commit({ events: [], writes: [ended] });
  }
});

test("a read that is not known to be the same after the delivery is refused", async () => {
  const { planNext } = await openThread("asks");
  const { state, batch } = await planNext("one");
  const planned = toPlannedReads(store.read, batch)!;
  await expect(planned.run(state.view.id)).rejects.toThrow("run");
  const place = { thread: "asks", branch: state.branchId, upTo: 1 };
  await expect(planned.segments(place, 5)).rejects.toThrow("part of a path");
});

test("a delivery that forks a branch is not read ahead", async () => {
  const { planNext } = await openThread("forks");
  const { batch } = await planNext("one");
  const row = { thread: "forks", id: "b", parent: "a", fork_depth: 1, tip: 1, used_at: 0 };
  const fork = { do: "insert", table: "branches", row } as const;
  expect(toPlannedReads(store.read, { ...batch, writes: [fork, ...batch.writes] })).toBeUndefined();
});
