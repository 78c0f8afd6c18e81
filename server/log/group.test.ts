import { expect, test } from "vitest";
import { threadStream } from "../../protocol/ids.ts";
import type { Batch, BatchResult } from "../store/contract.ts";
import { AT_ONCE, createGroup, type Entry } from "./group.ts";

const later = 1_000_000;

/** A clock that stands, and a store that answers when the case lets it; `committed` holds the names in each transaction. */
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
  const published = () => void begunBeforePublishing.push(committed.length);
  const group = createGroup({ store: { commit }, clock, published });
  const add = (name: string, dueAt: number): Entry => {
    const entry: Entry = {
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

/** Until everything that is to happen at once has happened. */
const turn = () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));

test("what is not due stays behind when something urgent goes", async () => {
  const { add, committed } = openGroup();
  add("later", later);
  add("now", AT_ONCE);
  await turn();
  expect(committed).toEqual([["now"]]);
});

test("what is hastened goes before what was added after it", async () => {
  const { group, add, committed } = openGroup();
  const deltas = add("deltas", later);
  group.hasten(deltas);
  add("end", AT_ONCE);
  await turn();
  expect(committed).toEqual([["deltas", "end"]]);
});

test("one transaction at a time, and the next takes whatever came due meanwhile", async () => {
  const { add, committed, settled, answer, pass } = openGroup();
  add("first", AT_ONCE);
  await turn();
  add("second", AT_ONCE);
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

test("an entry whose moment was unknown while a transaction ran is looked at again after it", async () => {
  const { add, committed, answer } = openGroup();
  add("first", AT_ONCE);
  await turn();
  const waiting = add("waiting", Infinity);
  waiting.dueAt = 1;
  answer();
  await turn();
  expect(committed).toEqual([["first"], ["waiting"]]);
});

test("the next transaction is on its way before the rows of the last are handed out", async () => {
  const { add, begunBeforePublishing, answer } = openGroup();
  add("first", AT_ONCE);
  await turn();
  add("second", AT_ONCE);
  answer();
  await turn();
  answer();
  await turn();
  expect(begunBeforePublishing).toEqual([2, 2]);
});

test("draining waits for what is not due yet", async () => {
  const { group, add, answer } = openGroup();
  let isDrained = false;
  const entry = add("later", later);
  const drained = group.drain().then(() => (isDrained = true));
  await turn();
  expect(isDrained).toBe(false);
  group.hasten(entry);
  await turn();
  answer();
  await drained;
});

test("a transaction takes no further batch once it holds 8 MB of text, and the rest follows in order", async () => {
  const { add, committed, settled, answer } = openGroup();
  const large = "x".repeat(8_000_000);
  for (const name of ["small", large, "second", "third"]) add(name, AT_ONCE);
  await turn();
  expect(committed.map((names) => names.map(({ length }) => length))).toEqual([[5, 8_000_000]]);
  answer();
  await turn();
  expect(committed[1]).toEqual(["second", "third"]);
  expect(settled).toHaveLength(2);
});

test("a batch that cannot be stored fails for its own caller only", async () => {
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
    published: () => {},
  });
  for (const name of ["one", "bad", "two"]) {
    group.add({
      dueAt: AT_ONCE,
      batch: () => ({ events: [{ stream: threadStream("t"), body: name }], writes: [] }),
      settle: () => void outcomes.push(`${name} stored`),
      fail: ({ message }) => void outcomes.push(`${name}: ${message}`),
    });
  }
  await group.drain();
  expect(outcomes).toEqual(["one stored", "bad: too big", "two stored"]);
});
