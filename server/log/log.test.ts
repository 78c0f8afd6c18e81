import fc from "../../test/support/fast-check.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EventOf } from "../../protocol/events.ts";
import { projectStream, threadStream, userStream } from "../../protocol/ids.ts";
import { systemClock } from "../lib/clock.ts";
import type { Batch, BatchResult, Store } from "../store/contract.ts";
import { openSqlite } from "../store/sqlite/open.ts";
import { createLog, type Log } from "./log.ts";
import { createReaders } from "./readers.ts";
import type { LogEntry, Row } from "./types.ts";

const stream = userStream("u");
const event = (title: string): EventOf<"thread-changed"> => ({
  type: "thread-changed",
  threadId: "t",
  patch: { title },
});
const errors: unknown[] = [];
const onError = (error: unknown): void => void errors.push(error);

async function openLog(): Promise<{ store: Store; log: Log }> {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-log-"));
  const store = await openSqlite({ file: join(folder, "log.db") });
  const log = createLog({ store, clock: systemClock, onError });
  onTestFinished(async () => {
    await log.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { store, log };
}

/** A store whose commits finish when the test says so. */
function createHeldStore() {
  const flushes: { batches: readonly Batch[]; finish: (error?: Error) => void }[] = [];
  let seq = 0;
  const commit = (batches: readonly Batch[]) =>
    new Promise<readonly BatchResult[]>((resolve, reject) => {
      const finish = (error?: Error): void =>
        error
          ? reject(error)
          : resolve(batches.map(({ events }) => ({ ok: true, epoch: 1, seqs: events.map(() => ++seq) })));
      flushes.push({ batches, finish });
    });
  const store = {
    kind: "sqlite",
    commit,
    onForeignCommit: () => {},
    read: { events: async () => [] },
  } as unknown as Store;
  return { flushes, log: createLog({ store, clock: systemClock, onError }) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test("a reader gets every committed row once and in order, regardless of when it joined", async () => {
  const { log } = await openLog();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
      fc.nat(12),
      async (sizes, joins) => {
        const name = userStream(`u${Math.random()}`);
        const readers: { from: number; rows: Row[] }[] = [];
        const join = (from: number): void => {
          const rows: Row[] = [];
          readers.push({ from, rows });
          log.watch(name, from, { rows: (some) => rows.push(...some) > 0 });
        };
        const commits: Promise<unknown>[] = [];
        join(0);
        let written = 0;
        for (const [index, size] of sizes.entries()) {
          commits.push(
            log.commit({
              events: Array.from({ length: size }, () => ({ stream: name, event: event(String(++written)) })),
              writes: [],
            }),
          );
          if (index === joins % sizes.length) join(Math.max(0, written - size - 1));
          if (index % 3 === 0) await commits.at(-1);
        }
        await Promise.all(commits);
        await turn();
        for (const { from, rows } of readers) {
          expect(rows.map(({ seq }) => seq)).toEqual(
            Array.from({ length: written - from }, (_, index) => from + index + 1),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("a full reader gets no more rows, buffers nothing, and continues exactly where it stopped", async () => {
  const { log } = await openLog();
  const rows: Row[] = [];
  let full = true;
  const watcher = log.watch(stream, 0, { rows: (some) => (rows.push(...some), !full) });
  for (let n = 1; n <= 300; n += 1) await log.commit({ events: [{ stream, event: event(String(n)) }], writes: [] });
  expect(rows.map(({ seq }) => seq)).toEqual([1]);
  full = false;
  watcher.resume();
  await expect.poll(() => rows.length).toBe(300);
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  watcher.close();
  expect(log.stats().readers).toBe(0);
});

test("a commit with a gap in its seqs is read from the database, so rows of other processes are not skipped", async () => {
  const seen: number[] = [];
  const readers = createReaders(
    {
      read: {
        events: async (_: string, after: number) =>
          [5, 6, 7].filter((seq) => seq > after).map((seq) => ({ seq, body: "" })),
      },
    } as never,
    onError,
  );
  readers.watch(stream, 4, { rows: (rows) => seen.push(...rows.map(({ seq }) => seq)) > 0 });
  await turn();
  seen.length = 0;
  const late = readers.watch(stream, 4, { rows: (rows) => seen.push(...rows.map(({ seq }) => seq)) > 0 });
  readers.publish(stream, [
    { seq: 5, body: "" },
    { seq: 7, body: "" },
  ]);
  await turn();
  expect(seen).toEqual([5, 6, 7]);
  late.close();
});

test("publishes nothing before it is durable", async () => {
  const { log, flushes } = createHeldStore();
  const rows: Row[] = [];
  log.watch(stream, 0, { rows: (some) => rows.push(...some) > 0 });
  let acknowledged = false;
  const committed = log
    .commit({ events: [{ stream, event: event("x") }], writes: [] })
    .then(() => (acknowledged = true));
  await turn();
  expect([flushes.length, rows.length, acknowledged]).toEqual([1, 0, false]);
  flushes[0]?.finish();
  await committed;
  expect(rows).toHaveLength(1);
});

test("batches added during a commit go into the next one together", async () => {
  const { log, flushes } = createHeldStore();
  const all = [log.commit({ events: [{ stream, event: event("0") }], writes: [] })];
  await turn();
  for (let n = 1; n <= 50; n += 1) all.push(log.commit({ events: [{ stream, event: event(String(n)) }], writes: [] }));
  await turn();
  expect(flushes.map(({ batches }) => batches.length)).toEqual([1]);
  flushes[0]?.finish();
  await turn();
  expect(flushes.map(({ batches }) => batches.length)).toEqual([1, 50]);
  flushes[1]?.finish();
  await Promise.all(all);
});

test("deltas of a part accumulate in one row until their commit starts, in order", async () => {
  const { log, flushes } = createHeldStore();
  const writer = log.open({ threadId: "t", epoch: 1, onLost: onError });
  const head = '{"type":"text-delta","text":';
  writer.append(head, "a");
  await turn();
  for (const text of ["b", "c", '"d"\n']) writer.append(head, text);
  const committed = writer.commit({ events: [{ stream: threadStream("t"), event: event("end") }], writes: [] });
  writer.append(head, "later");
  flushes[0]?.finish();
  await turn();
  const [first, second] = flushes.map(({ batches }) =>
    batches.map(({ events }) => events.map(({ body }) => JSON.parse(body) as { text?: string; type: string })),
  );
  expect(first?.flat().map(({ text }) => text)).toEqual(["a"]);
  expect(second?.flat().map(({ text, type }) => text ?? type)).toEqual(['bc"d"\n', "thread-changed"]);
  flushes[1]?.finish();
  await committed;
  void writer.commit({ events: [], writes: [] });
  await turn();
  expect(flushes[2]?.batches.map(({ events }) => events.length)).toEqual([1, 0]);
});

test("a database failure rejects all waiting callers, and a writer stops permanently", async () => {
  const { log, flushes } = createHeldStore();
  const lost: Error[] = [];
  const writer = log.open({ threadId: "t", epoch: 1, onLost: (error) => lost.push(error) });
  writer.append('{"text":', "a");
  const committed = log.commit({ events: [], writes: [] });
  await turn();
  flushes[0]?.finish(new Error("disk on fire"));
  await expect(committed).rejects.toThrow("disk on fire");
  expect(lost.map(({ message }) => message)).toEqual(["disk on fire"]);
  writer.append('{"text":', "b");
  await expect(writer.commit({ events: [], writes: [] })).rejects.toThrow("disk on fire");
  expect(flushes).toHaveLength(1);
});

test("with one node, heads are read again only after a read or a commit failed", async () => {
  let reads = 0;
  let failing = false;
  const committed: Row[] = [];
  const store = {
    kind: "sqlite",
    onForeignCommit: () => {},
    commit: async () => {
      // Durable, but the result is lost.
      committed.push({ seq: committed.length + 1, body: "row" });
      throw new Error("the thread ended");
    },
    read: {
      heads: async () => {
        reads += 1;
        return new Map([[stream, committed.length]]);
      },
      events: async (_: string, after: number) => {
        if (failing) throw new Error("no descriptor");
        return committed.filter(({ seq }) => seq > after);
      },
    },
  } as unknown as Store;
  const log = createLog({ store, clock: systemClock, onError, pollMs: 5, isOnlyNode: true });
  onTestFinished(log.close);
  const rows: Row[] = [];
  log.watch(stream, 0, { rows: (some) => rows.push(...some) > 0 });
  await expect(log.commit({ events: [], writes: [] })).rejects.toThrow("the thread ended");
  await expect.poll(() => rows.length).toBe(1);
  expect(reads).toBe(1);
  failing = true;
  await expect(log.commit({ events: [], writes: [] })).rejects.toThrow("the thread ended");
  await expect.poll(() => reads).toBeGreaterThan(2);
  failing = false;
  await expect.poll(() => rows.length).toBe(2);
});

test("a writer that lost its lease is rejected alone and notified once", async () => {
  const { store, log } = await openLog();
  const name = threadStream("t");
  await log.commit({ events: [{ stream: name, event: event("x") }], writes: [] });
  const take = async (epoch: number) =>
    log.commit({ fence: { stream: name, epoch, acquire: { holder: "me", ttlMs: 0 } }, events: [], writes: [] });
  expect(await take(0)).toMatchObject({ ok: true, epoch: 1 });
  const lost: Error[] = [];
  const stale = log.open({ threadId: "t", epoch: 1, onLost: (error) => lost.push(error) });
  expect(await take(1)).toMatchObject({ ok: true, epoch: 2 });
  const current = log.open({ threadId: "t", epoch: 2, onLost: onError });
  stale.append('{"type":"text-delta","text":', "stale");
  current.append('{"type":"text-delta","text":', "current");
  await current.commit({ events: [], writes: [] });
  await expect(stale.commit({ events: [], writes: [] })).rejects.toThrow();
  expect(lost).toHaveLength(1);
  const rows = await store.read.events(name, 0, 10);
  expect(rows.map(({ body }) => body).join()).not.toContain("stale");
  expect(rows).toHaveLength(2);
});

test("a stream accepts only its own kinds of events", () => {
  const entries: readonly LogEntry[] = [
    { stream: userStream("u"), event: { type: "memory-changed", fields: [] } },
    // @ts-expect-error: a user event in a thread stream
    { stream: threadStream("t"), event: { type: "memory-changed", fields: [] } },
    // @ts-expect-error: a thread event in a project stream
    { stream: projectStream("p"), event: { type: "input-withdrawn", inputId: "i" } },
  ];
  expect(entries).toHaveLength(3);
});
