import { expect, test } from "vitest";
import { threadStream } from "../../protocol/ids.ts";
import type { Batch, BatchResult } from "../store/contract.ts";
import { IMMEDIATELY, createGroup, type GroupEntry } from "./group.ts";

const later = 1_000_000;

/** A manual clock, and a store that replies when the test lets it; `committed` has the names in each transaction. */
function openGroup() {
  const committed: string[][] = [];
  const settled: string[] = [];
  const answers: (() => void)[] = [];
  let now = 1;
  const commit = (batches: readonly Batch[]) =>
    new Promise<readonly BatchResult[]>((resolve) => {
      committed.push(batches.map((batch) => batch.events[0]?.body ?? ""));
      answers.push(() => resolve(batches.map(() => ({ ok: true, seqs: [1], epoch: null }))));
    });
  const clock = { now: () => now, monotonic: () => now };
  const begunBeforePublishing: number[] = [];
  const onCommitted = () => void begunBeforePublishing.push(committed.length);
  const group = createGroup({ store: { commit }, clock, onCommitted });
  const add = (name: string, dueAt: number): GroupEntry => {
    const entry: GroupEntry = {
      dueAt,
      batch: () => ({ events: [{ stream: threadStream("t"), body: name }], writes: [] }),
      settle: () => void settled.push(name),
      fail: () => {},
    };
    group.add(entry);
    return entry;
  };
  const answer = () => answers.shift()?.();
  return { group, add, committed, settled, begunBeforePublishing, answer, pass: (ms: number) => (now += ms) };
}

/** Waits until all immediate work is done. */
const turn = () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));

test("entries that are not due stay queued when an urgent one is committed", async () => {
  const { add, committed } = openGroup();
  add("later", later);
  add("now", IMMEDIATELY);
  await turn();
  expect(committed).toEqual([["now"]]);
});

test("an expedited entry is committed before entries added after it", async () => {
  const { group, add, committed } = openGroup();
  const deltas = add("deltas", later);
  group.expedite(deltas);
  add("end", IMMEDIATELY);
  await turn();
  expect(committed).toEqual([["deltas", "end"]]);
});

test("runs one transaction at a time, and the next takes all entries that came due during it", async () => {
  const { add, committed, settled, answer, pass } = openGroup();
  add("first", IMMEDIATELY);
  await turn();
  add("second", IMMEDIATELY);
  add("due", 50);
  add("later", later);
  await turn();
  expect(committed).toEqual([["first"]]);
  pass(60);
  answer();
  await turn();
  expect(settled).toEqual(["first"]);
  expect(committed).toEqual([["first"], ["second", "due"]]);
});

test("checks an entry again after a transaction if its due time was unknown during it", async () => {
  const { add, committed, answer } = openGroup();
  add("first", IMMEDIATELY);
  await turn();
  const waiting = add("waiting", Infinity);
  waiting.dueAt = 1;
  answer();
  await turn();
  expect(committed).toEqual([["first"], ["waiting"]]);
});

test("starts the next transaction before publishing the rows of the last one", async () => {
  const { add, begunBeforePublishing, answer } = openGroup();
  add("first", IMMEDIATELY);
  await turn();
  add("second", IMMEDIATELY);
  answer();
  await turn();
  answer();
  await turn();
  expect(begunBeforePublishing).toEqual([2, 2]);
});

test("draining waits for entries that are not due yet", async () => {
  const { group, add, answer } = openGroup();
  let isDrained = false;
  const entry = add("later", later);
  const drained = group.drain().then(() => (isDrained = true));
  await turn();
  expect(isDrained).toBe(false);
  group.expedite(entry);
  await turn();
  answer();
  await drained;
});

test("closes a transaction at 8 MB of text and commits the rest in order", async () => {
  const { add, committed, settled, answer } = openGroup();
  const large = "x".repeat(8_000_000);
  for (const name of ["small", large, "second", "third"]) add(name, IMMEDIATELY);
  await turn();
  expect(committed.map((names) => names.map(({ length }) => length))).toEqual([[5, 8_000_000]]);
  answer();
  await turn();
  expect(committed[1]).toEqual(["second", "third"]);
  expect(settled).toHaveLength(2);
});

test("a batch that cannot be stored fails only for its caller", async () => {
  const outcomes: string[] = [];
  const group = createGroup({
    store: {
      commit: async (batches) =>
        batches.map((batch): BatchResult =>
          batch.events[0]?.body === "bad"
            ? { ok: false, why: "failed", message: "too big" }
            : { ok: true, seqs: [1], epoch: null },
        ),
    },
    clock: { now: () => 1, monotonic: () => 1 },
    onCommitted: () => {},
  });
  for (const name of ["one", "bad", "two"]) {
    group.add({
      dueAt: IMMEDIATELY,
      batch: () => ({ events: [{ stream: threadStream("t"), body: name }], writes: [] }),
      settle: () => void outcomes.push(`${name} stored`),
      fail: ({ message }) => void outcomes.push(`${name}: ${message}`),
    });
  }
  await group.drain();
  expect(outcomes).toEqual(["one stored", "bad: too big", "two stored"]);
});
