import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGate } from "../../test/support/instance.ts";
import { createRunDeps } from "../../test/support/server/run-deps.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemIds as ids } from "../lib/ids.ts";
import { createLog, type Log } from "../log/log.ts";
import { createModels } from "../model/registry.ts";
import type { Store } from "../store/contract.ts";
import { openStore } from "../store/open.ts";
import type { RowOf } from "../store/schema.ts";
import { createUserActions } from "../thread/user-actions.ts";
import { createThreads } from "../thread/threads.ts";
import { createCatalog } from "../tools/catalog.ts";
import { planDelivery } from "./deliver.ts";
import { ReadNotPrepared } from "./overlay-reads.ts";
import { prepareFirstCall } from "./prepare-first-call.ts";
import type { RunDeps } from "./run-context.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-first-call-"));
const me = { userId: "local" };
const models = createModels({ config: { keys: {}, scripted: async function* () {} }, clock });
const NEVER_MS = 1_000_000;
let store: Store;
let log: Log;
/** Called when a transaction starts. */
let onTransaction = (): void => {};
beforeAll(async () => {
  store = await openStore({ directory: folder, databaseUrl: null });
  const commit: Store["commit"] = (batches) => {
    onTransaction();
    return store.commit(batches);
  };
  log = createLog({ store: { ...store, commit }, clock, onError: () => {} });
  await createThreads({ store, log, models, clock, ids }).addUser(me.userId);
});
afterAll(async () => {
  await log.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openThread(id: string, onQueued: (input: RowOf<"inputs">) => void = () => {}) {
  const threads = createThreads({ store, log, models, clock, ids });
  await threads.create(me, { id, profile: "stone" });
  return createUserActions({ store, log, threads, models, clock, onQueued });
}

async function planFirst(threadId: string, own: Partial<RunDeps> = {}) {
  const admit = await openThread(threadId);
  await admit.send(me, threadId, { id: ids.next(), text: "hello", mode: "queue" });
  const [thread, [input]] = [await store.read.thread(threadId), await store.read.queued(threadId)];
  const errors: unknown[] = [];
  const deps = createRunDeps({ store, log, models, clock, ids, onError: (error) => errors.push(error), ...own });
  const delivery = await planDelivery(deps, thread!, input!);
  const prepare = (maxMs: number) => prepareFirstCall(deps, delivery, { epoch: 1, lastSeq: 0, maxMs });
  return { deps, prepare, errors };
}

test("the admission of a message hands its input over before it is committed; other inputs are not handed over", async () => {
  const order: string[] = [];
  const admit = await openThread("admits", ({ thread, id, kind }) => order.push(`${kind} ${thread} ${id}`));
  onTransaction = () => order.push("transaction");
  await admit.send(me, "admits", { id: "one", text: "hello", mode: "queue" });
  await admit.change(me, "admits", { id: "two", title: "Title" });
  onTransaction = () => {};
  expect(order).toEqual(["message admits one", "transaction", "transaction"]);
});

test("the first call is planned together with its delivery", async () => {
  const { prepare } = await planFirst("prepared");
  const prepared = await prepare(NEVER_MS);
  const tables = prepared?.batch.writes.flatMap((write) => (write.do === "insert" ? [write.table] : []));
  expect(tables).toEqual(expect.arrayContaining(["messages", "runs", "calls", "receipts"]));
});

test("a read that depends on the delivery is an expected miss", async () => {
  const { prepare, errors } = await planFirst("misses", {
    checkBudget: () => Promise.reject(new ReadNotPrepared("run")),
  });
  expect(await prepare(NEVER_MS)).toBeUndefined();
  expect(errors).toEqual([]);
});

test("any other error is not caught", async () => {
  const { prepare } = await planFirst("fails", { checkBudget: () => Promise.reject(new Error("a bug")) });
  await expect(prepare(NEVER_MS)).rejects.toThrow("a bug");
});

test("an attempt that takes too long is aborted, counts no prompt and checks no budget", async () => {
  const gate = createGate();
  const loaded = createGate();
  let checks = 0;
  const watched: typeof models = {
    ...models,
    forUser: () => watched,
    lacksTools: (id) => {
      loaded.open();
      return models.lacksTools(id);
    },
  };
  const { deps, prepare, errors } = await planFirst("late", {
    catalogOf: async () => {
      await gate.passed;
      return createCatalog([]);
    },
    checkBudget: async () => {
      checks += 1;
      return null;
    },
    models: watched,
  });
  expect(await prepare(0)).toBeUndefined();
  gate.open();
  await loaded.passed;
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([checks, deps.promptCounts.prompts, errors]).toEqual([0, 0, []]);
});

test("an error of an aborted attempt is reported", async () => {
  const gate = createGate();
  const { prepare, errors } = await planFirst("late-error", {
    catalogOf: async () => {
      await gate.passed;
      throw new Error("a bug");
    },
  });
  expect(await prepare(0)).toBeUndefined();
  gate.open();
  await expect.poll(() => errors).toMatchObject([{ message: "a bug" }]);
});
