import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRunDeps } from "../../test/support/server/run-deps.ts";
import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import { noUsage } from "../../protocol/run.ts";
import { createGate, say } from "../../test/support/instance.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemIds as ids } from "../lib/ids.ts";
import { createLog } from "../log/log.ts";
import type { Script } from "../model/scripted.ts";
import { createModels } from "../model/registry.ts";
import type { Store } from "../store/contract.ts";
import { openSqlite } from "../store/sqlite/open.ts";
import { createUserActions } from "../thread/user-actions.ts";
import { createThreads } from "../thread/threads.ts";
import { createRunner } from "./runner.ts";

const me = { userId: "local" };
const NEVER_MS = 1_000_000;

/** Thread modules on one store, with one runner per simulated process. */
async function openNodes(script: Script, between: (store: Store) => Store = (store) => store) {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-takeover-"));
  const file = await openSqlite({ file: join(folder, "x.db") });
  const store = between(file);
  const log = createLog({ store, clock, onError: () => {} });
  const models = createModels({ config: { keys: {}, scripted: script }, clock });
  const threads = createThreads({ store, log, models, clock, ids });
  const admit = createUserActions({ store, log, threads, models, clock });
  const runners: ReturnType<typeof createRunner>[] = [];
  onTestFinished(async () => {
    await Promise.all(runners.map((runner) => runner.close()));
    await log.close();
    await file.close();
    rmSync(folder, { recursive: true });
  });
  await threads.addUser("local");
  const createNode = (holder: string, ttlMs: number, own: Store = store, sweepMs = NEVER_MS, isOnlyNode = false) => {
    const deps = createRunDeps({ store: own, log, models, clock, ids });
    const runner = createRunner({ deps, lease: { holder, ttlMs }, sweepMs, isOnlyNode, onError: () => {} });
    runners.push(runner);
    return runner;
  };
  const ask = async (threadId: string, text: string): Promise<void> => {
    await threads.create(me, { id: threadId, model: "scripted/script", profile: "stone" });
    await admit.send(me, threadId, { id: `${threadId}-question`, text, mode: "queue" });
  };
  const endOf = async (threadId: string) => {
    await expect.poll(async () => (await threads.open(me, threadId, 9)).run?.state, { timeout: 20_000 }).toBe("ended");
    return threads.open(me, threadId, 9);
  };
  return { store, threads, ask, endOf, createNode };
}

test("a takeover continues from the last write of the previous lease holder", async () => {
  const finish = createGate();
  let calls = 0;
  const { store, ask, endOf, createNode } = await openNodes(async function* () {
    calls += 1;
    yield { type: "start", key: "t", kind: "text" };
    yield { type: "delta", key: "t", text: `answer ${calls}` };
    await finish.passed;
    yield { type: "finish", reason: "stop", usage: noUsage };
  });
  const hasRead = createGate();
  const resume = createGate();
  const slowReads: Store["read"] = {
    ...store.read,
    liveRun: async (threadId) => {
      const row = await store.read.liveRun(threadId);
      hasRead.open();
      await resume.passed;
      return row;
    },
  };
  const first = createNode("first", 1);
  const second = createNode("second", NEVER_MS, { ...store, read: slowReads });
  await ask("t", "hello");
  first.wake("t");
  await expect
    .poll(async () => (await store.read.events("thread:t", 0, 99)).some(({ body }) => body.includes("answer 1")))
    .toBe(true);
  second.wake("t");
  await hasRead.passed;
  finish.open();
  const ended = await endOf("t");
  resume.open();
  await expect.poll(() => second.stats().driving).toBe(0);
  const after = await endOf("t");
  expect(after.messages).toEqual(ended.messages);
  expect(textOf(after.messages.at(-1)?.parts ?? [])).toBe("answer 1");
  expect(calls).toBe(1);
});

const resumeFailedDrive = async (isOnlyNode: boolean): Promise<void> => {
  const hold = createGate();
  let renewals = 0;
  let failures = 0;
  let failNext = false;
  const script: Script = async function* (request): AsyncGenerator<ModelEvent> {
    const last = request.messages.at(-1);
    if (last?.role === "user" && last.text === "busy") await hold.passed;
    else if (failures === 0) failNext = true;
    yield* say("done");
  };
  const between = (store: Store): Store => ({
    ...store,
    renewLeases: (...lease) => {
      renewals += 1;
      return store.renewLeases(...lease);
    },
    commit: async (batches) => {
      if (failNext) {
        failNext = false;
        failures += 1;
        throw new Error("the disk hiccuped");
      }
      return store.commit(batches);
    },
  });
  const { ask, endOf, createNode, threads } = await openNodes(script, between);
  const node = createNode("node", 300, undefined, 50, isOnlyNode);
  node.start();
  await ask("busy", "busy");
  node.wake("busy");
  await expect.poll(async () => (await threads.open(me, "busy", 9)).run?.state).toBe("running");
  await ask("unlucky", "hello");
  node.wake("unlucky");
  const { run } = await endOf("unlucky");
  expect([failures, run?.outcome, node.stats().driving]).toEqual([1, "done", 1]);
  expect(renewals > 0).toBe(!isOnlyNode);
  hold.open();
  await endOf("busy");
};

test("a thread whose drive failed is resumed by the sweep although the process is busy", () =>
  resumeFailedDrive(false));

test("one node alone renews no lease, and its sweep resumes a failed drive", () => resumeFailedDrive(true));
