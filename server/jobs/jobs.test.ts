import { expect, onTestFinished, test } from "vitest";
import { threadStream } from "../../protocol/ids.ts";
import { batch, put, putThread } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import { until } from "../../test/support/server/until.ts";
import type { Clock } from "../lib/clock.ts";
import { systemIds as ids } from "../lib/ids.ts";
import { createLog } from "../log/log.ts";
import { threadTables } from "../store/schema.ts";
import { createJobs, EMPTY_OUTCOME, planJob, type JobKind, type JobOutcome } from "./jobs.ts";

const NEVER_MS = 1_000_000_000;

const createGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: () => resolve(), passed: promise };
};

describeStores("jobs", ({ store, id }) => {
  /** A manual clock. */
  const createClock = (): Clock & { pass: (ms: number) => void } => {
    let now = 1_000_000;
    return { now: () => now, monotonic: () => performance.now(), pass: (ms) => void (now += ms) };
  };

  const createSetup = async (clock: Clock = createClock()) => {
    const [owner, thread] = [id("owner"), id("thread")];
    await putThread(store(), owner, thread);
    const log = createLog({ store: store(), clock, onError: () => {} });
    onTestFinished(() => log.close());
    const errors: string[] = [];
    const createNode = (
      kind: Partial<JobKind> & Pick<JobKind, "kind" | "run">,
      random = () => 0.5,
      maxConcurrent = 2,
    ) => {
      const jobs = createJobs({
        read: store().read,
        log,
        clock,
        random,
        holder: ids.next(),
        kinds: [{ leaseMs: 60_000, maxAttempts: 3, ...kind }],
        onError: (error) => void errors.push((error as Error).message),
        sweepMs: NEVER_MS,
        maxConcurrent,
      });
      onTestFinished(() => jobs.close());
      return jobs;
    };
    const plan = async (kind: string, key = "k", body: object = {}): Promise<string> => {
      const jobId = ids.next();
      const planned = { id: jobId, kind, key, threadId: thread, ownerId: owner, body, now: clock.now() };
      await put(store(), ...planJob(planned));
      return jobId;
    };
    const stateOf = async (jobId: string) => (await store().read.job(jobId))?.state;
    const ends = (jobId: string, state: string) =>
      until(`job ${jobId} is ${state}`, async () => (await stateOf(jobId)) === state);
    return { thread, owner, log, createNode, plan, stateOf, ends, errors };
  };

  /** A countable outcome: one pin per commit. */
  const pinned = (thread: string, text: string): JobOutcome => ({
    events: [{ stream: threadStream(thread), event: { type: "context-changed", what: "pins" } }],
    writes: [
      {
        do: "insert",
        table: "pins",
        row: { id: ids.next(), thread, message: null, text, untrusted: "[]", created_at: 1 },
      },
    ],
  });
  const countPins = async (thread: string) => (await store().read.countRows(["pins"], thread))["pins"];

  test("runs a job once and commits its outcome together with its end", async () => {
    const { createNode, plan, ends, thread } = await createSetup();
    const kind = id("kind");
    const node = createNode({ kind, run: async ({ body }) => pinned(thread, (body as { word: string }).word) });
    const job = await plan(kind, "k", { word: "granite" });
    node.wake();
    await ends(job, "done");
    node.wake();
    expect(await countPins(thread)).toBe(1);
    expect(node.stats()).toMatchObject({ done: 1, failed: 0 });
  });

  test("while the process is busy, runs jobs one at a time with pauses in between", async () => {
    const { plan, ends, log, thread } = await createSetup();
    const kind = id("kind");
    const spans: { startedAt: number; endedAt: number }[] = [];
    let nowMs = 0;
    const jobs = createJobs({
      read: store().read,
      log,
      // Each job takes a second on this clock, so the pause has its maximum length.
      clock: { now: () => 1_000_000, monotonic: () => (nowMs += 1_000) },
      random: () => 0.5,
      holder: ids.next(),
      kinds: [
        {
          kind,
          leaseMs: 60_000,
          maxAttempts: 3,
          run: async () => {
            const startedAt = performance.now();
            await store().read.thread(thread);
            spans.push({ startedAt, endedAt: performance.now() });
            return EMPTY_OUTCOME;
          },
        },
      ],
      onError: () => {},
      isBusy: () => true,
      sweepMs: 20,
    });
    onTestFinished(() => jobs.close());
    const planned = [await plan(kind, "a"), await plan(kind, "b"), await plan(kind, "c")];
    await jobs.start();
    for (const job of planned) await ends(job, "done");
    const gaps = spans.slice(1).map(({ startedAt }, n) => startedAt - (spans[n]?.endedAt ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThan(190);
  });

  test("planning a waiting job again adds no second job and does not fail the batch", async () => {
    const { createNode, plan, ends, stateOf, thread } = await createSetup();
    const kind = id("kind");
    const seen: unknown[] = [];
    const first = await plan(kind, "k", { n: 1 });
    const second = await plan(kind, "k", { n: 2 });
    const node = createNode({ kind, run: async ({ body }) => (seen.push(body), pinned(thread, "x")) });
    node.wake();
    await ends(first, "done");
    expect(await stateOf(second)).toBeUndefined();
    expect(seen).toEqual([{ n: 2 }]);
  });

  test("a job that is planned again while it runs is run once more", async () => {
    const { createNode, plan, ends, thread } = await createSetup();
    const kind = id("kind");
    const [begun, go] = [createGate(), createGate()];
    const seen: unknown[] = [];
    const node = createNode({
      kind,
      run: async ({ body }) => {
        seen.push(body);
        begun.open();
        await go.passed;
        return pinned(thread, "x");
      },
    });
    const job = await plan(kind, "k", { n: 1 });
    node.wake();
    await begun.passed;
    await plan(kind, "k", { n: 2 });
    go.open();
    await ends(job, "done");
    expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await countPins(thread)).toBe(2);
  });

  test("one of two nodes with the same job runs it", async () => {
    const { createNode, plan, ends, thread } = await createSetup();
    const kind = id("kind");
    let runs = 0;
    const run = async () => ((runs += 1), pinned(thread, "x"));
    const nodes = [createNode({ kind, run }), createNode({ kind, run })];
    const jobs = await Promise.all(Array.from({ length: 20 }, (_, n) => plan(kind, `k${n}`)));
    for (const node of nodes) node.wake();
    await Promise.all(jobs.map((job) => ends(job, "done")));
    expect(runs).toBe(20);
    expect(nodes.reduce((sum, node) => sum + node.stats().done, 0)).toBe(20);
  });

  test("a dead process's job is claimed when its lease expires, and later writes of the dead process are refused", async () => {
    const clock = createClock();
    const { createNode, plan, ends, stateOf, thread } = await createSetup(clock);
    const kind = id("kind");
    const [begun, go, over] = [createGate(), createGate(), createGate()];
    const dead = createNode({
      kind,
      run: async () => {
        begun.open();
        await go.passed;
        return pinned(thread, "of the dead");
      },
      after: async () => over.open(),
    });
    const job = await plan(kind);
    dead.wake();
    await begun.passed;
    const heir = createNode({ kind, run: async () => pinned(thread, "of the heir") });
    await heir.start();
    expect(await stateOf(job)).toBe("running");
    clock.pass(60_000);
    heir.wake();
    await ends(job, "done");
    go.open();
    await dead.close();
    expect(await countPins(thread)).toBe(1);
    expect(dead.stats().done).toBe(0);
    expect(heir.stats().done).toBe(1);
  });

  test("renews the lease while a job runs", async () => {
    const clock = createClock();
    const { createNode, plan, thread } = await createSetup(clock);
    const kind = id("kind");
    const [begun, go] = [createGate(), createGate()];
    const run = async () => (begun.open(), await go.passed, pinned(thread, "x"));
    createNode({ kind, leaseMs: 30, run }).wake();
    const job = await plan(kind);
    const node = createNode({ kind, leaseMs: 30, run });
    node.wake();
    await begun.passed;
    const before = (await store().read.job(job))?.lease_until ?? 0;
    clock.pass(1000);
    await until("the lease was renewed", async () => ((await store().read.job(job))?.lease_until ?? 0) > before);
    go.open();
    await until("it is done", async () => (await store().read.job(job))?.state === "done");
  });

  test("retries a failed job with growing, jittered delays, and finally fails it", async () => {
    const clock = createClock();
    const { createNode, plan, ends, errors } = await createSetup(clock);
    const kind = id("kind");
    let tries = 0;
    const run = async (): Promise<JobOutcome> => {
      tries += 1;
      throw new Error(`broken ${tries}`);
    };
    const node = createNode({ kind, run }, () => 1);
    const job = await plan(kind);
    const waits: number[] = [];
    for (const round of [1, 2]) {
      node.wake();
      await until("it failed", async () => (await store().read.job(job))?.error === `broken ${round}`);
      waits.push(((await store().read.job(job))?.not_before ?? 0) - clock.now());
      node.wake();
      clock.pass(waits.at(-1) ?? 0);
      expect(tries).toBe(round);
    }
    node.wake();
    await ends(job, "failed");
    expect(waits).toEqual([2000, 4000]);
    expect((await store().read.job(job))?.error).toBe("broken 3");
    expect(errors).toEqual(["broken 1", "broken 2", "broken 3"]);
    expect(node.stats()).toMatchObject({ failed: 1, retried: 2, done: 0 });
  });

  test("commits the outcome of `giveUp` when a job finally fails", async () => {
    const { createNode, plan, ends, thread } = await createSetup();
    const kind = id("kind");
    const node = createNode({
      kind,
      maxAttempts: 1,
      run: () => Promise.reject(new Error("no")),
      giveUp: async (_, error) => pinned(thread, error.message),
    });
    const job = await plan(kind);
    node.wake();
    await ends(job, "failed");
    expect(await countPins(thread)).toBe(1);
  });

  test("gives up a job that kills its process every time", async () => {
    const clock = createClock();
    const { createNode, plan, ends } = await createSetup(clock);
    const kind = id("kind");
    const job = await plan(kind);
    let runs = 0;
    const die = () => ((runs += 1), new Promise<JobOutcome>(() => {}));
    for (let death = 0; death < 3; death += 1) {
      // As a killed process leaves it: claimed and never renewed.
      const row = (await store().read.job(job))!;
      await put(store(), {
        do: "update",
        table: "jobs",
        set: { state: "running", holder: "dead", epoch: row.epoch + 1, attempts: row.attempts + 1, lease_until: 1 },
        where: { id: job },
      });
    }
    const node = createNode({ kind, run: die });
    node.wake();
    await ends(job, "failed");
    expect(runs).toBe(0);
  });

  test("counts a refused outcome as a failed attempt", async () => {
    const { createNode, plan, thread } = await createSetup();
    const kind = id("kind");
    const impossible: JobOutcome = {
      events: [],
      writes: [{ do: "update", table: "pins", set: { text: "x" }, where: { id: "none", thread }, expectOne: true }],
    };
    const node = createNode({ kind, run: async () => impossible });
    const job = await plan(kind);
    node.wake();
    await until("it was refused", async () => (await store().read.job(job))?.error !== null);
    expect(await store().read.job(job)).toMatchObject({ state: "waiting", attempts: 1 });
  });

  test("ends the job of a deleted thread without writing anything", async () => {
    const { createNode, plan, thread, errors } = await createSetup();
    const kind = id("kind");
    const [begun, go] = [createGate(), createGate()];
    const node = createNode({
      kind,
      run: async () => (begun.open(), await go.passed, pinned(thread, "too late")),
    });
    const job = await plan(kind);
    node.wake();
    await begun.passed;
    await store().commit([
      batch({ writes: threadTables.map((table) => ({ do: "delete", table, where: { thread } }) as const) }),
    ]);
    go.open();
    await until("nothing runs", async () => node.stats().running === 0);
    expect(await store().read.job(job)).toBeUndefined();
    expect(await countPins(thread)).toBe(0);
    expect(errors).toEqual([]);
  });

  test("closing aborts running jobs and releases them without counting the attempt", async () => {
    const { createNode, plan, ends, thread } = await createSetup();
    const kind = id("kind");
    const begun = createGate();
    const node = createNode({
      kind,
      run: async (_, signal) => {
        begun.open();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        signal.throwIfAborted();
        return EMPTY_OUTCOME;
      },
    });
    const job = await plan(kind);
    node.wake();
    await begun.passed;
    await node.close();
    expect(await store().read.job(job)).toMatchObject({ state: "waiting", attempts: 0, holder: null });
    createNode({ kind, run: async () => pinned(thread, "x") }).wake();
    await ends(job, "done");
  });

  test("runs at most two jobs at a time", async () => {
    const { createNode, plan, ends } = await createSetup();
    const kind = id("kind");
    const go = createGate();
    let [now, most] = [0, 0];
    const node = createNode({
      kind,
      run: async () => {
        most = Math.max(most, (now += 1));
        await go.passed;
        now -= 1;
        return EMPTY_OUTCOME;
      },
    });
    const jobs = await Promise.all([1, 2, 3, 4].map((n) => plan(kind, `k${n}`)));
    await node.start();
    expect(node.stats()).toMatchObject({ running: 2 });
    go.open();
    await Promise.all(jobs.map((job) => ends(job, "done")));
    expect(most).toBe(2);
  });
});
