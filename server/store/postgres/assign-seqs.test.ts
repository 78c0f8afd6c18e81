import { describe, expect, test } from "vitest";
import type { Batch, Fence } from "../contract.ts";
import { assignSeqs, type LockedStream } from "./assign-seqs.ts";

const one = "thread:one";
const two = "thread:two";
const row = (more: Partial<LockedStream> = {}): LockedStream => ({ id: one, head: 4, epoch: 2, free: true, ...more });
const batch = (more: Partial<Batch> = {}): Batch => ({ events: [], writes: [], ...more });
const onto = (...streams: readonly (typeof one | typeof two)[]) => streams.map((stream) => ({ stream, body: "{}" }));
const held = (epoch: number, more: Partial<Fence> = {}): Fence => ({ stream: one, epoch, ...more });
const assign = (batches: readonly Batch[], locked: readonly LockedStream[]) => {
  const { results, after } = assignSeqs(batches, locked);
  return { results, after: Object.fromEntries(after) };
};
const fenced = { ok: false, why: "fenced" };

describe("seqs", () => {
  test("continue the stream's head over all batches, and each stream has its own", () => {
    const batches = [batch({ events: onto(one, two, one) }), batch({ events: onto(one) }), batch()];
    expect(assign(batches, [row()])).toEqual({
      results: [
        { ok: true, seqs: [5, 1, 6], epoch: null },
        { ok: true, seqs: [7], epoch: null },
        { ok: true, seqs: [], epoch: null },
      ],
      after: {
        [one]: { head: 7, epoch: 2, free: true, lease: undefined },
        [two]: { head: 1, epoch: 0, free: true, lease: undefined },
      },
    });
  });

  test("of a stream whose row this transaction has inserted begin at 1, and a batch without events does not name it", () => {
    const made = row({ head: 0, epoch: 0, made: true });
    expect(assign([batch()], [made]).after).toEqual({});
    expect(assign([batch({ events: onto(one) })], [made])).toEqual({
      results: [{ ok: true, seqs: [1], epoch: null }],
      after: { [one]: { head: 1, epoch: 0, free: true, lease: undefined } },
    });
  });

  test("of a refused batch are not used", () => {
    const batches = [batch({ fence: held(1), events: onto(one, two) }), batch({ fence: held(2), events: onto(one) })];
    expect(assign(batches, [row({ free: false })])).toEqual({
      results: [fenced, { ok: true, seqs: [5], epoch: 2 }],
      after: { [one]: { head: 5, epoch: 2, free: false, lease: undefined } },
    });
  });
});

describe("a fence", () => {
  test.each([
    ["an older epoch", held(1), row({ free: false })],
    ["a newer epoch", held(3), row({ free: false })],
    ["a stream without a row", held(2), row({ id: two })],
    ["a stream that was just made", held(0), row({ epoch: 0, made: true })],
  ])("of %s is refused", (_, fence, locked) => {
    expect(assign([batch({ fence, events: onto(one) })], [locked]).results).toEqual([fenced]);
  });

  test("of the current epoch changes nothing but the head", () => {
    expect(assign([batch({ fence: held(2), events: onto(one) })], [row({ free: false })])).toEqual({
      results: [{ ok: true, seqs: [5], epoch: 2 }],
      after: { [one]: { head: 5, epoch: 2, free: false, lease: undefined } },
    });
  });
});

describe("acquiring", () => {
  const acquire = { holder: "node", ttlMs: 1000 };

  test("a free stream gives the next epoch, and later batches of the old epoch are refused", () => {
    const batches = [
      batch({ fence: held(2, { acquire }), events: onto(one) }),
      batch({ fence: held(2, { acquire: { holder: "other", ttlMs: 1000 } }) }),
      batch({ fence: held(3, { acquire: { holder: "other", ttlMs: 1000 } }) }),
      batch({ fence: held(3), events: onto(one) }),
    ];
    expect(assign(batches, [row()])).toEqual({
      results: [{ ok: true, seqs: [5], epoch: 3 }, fenced, fenced, { ok: true, seqs: [6], epoch: 3 }],
      after: { [one]: { head: 6, epoch: 3, free: false, lease: acquire } },
    });
  });

  test("a leased stream is refused", () => {
    expect(assign([batch({ fence: held(2, { acquire }) })], [row({ free: false })])).toEqual({
      results: [fenced],
      after: { [one]: { head: 4, epoch: 2, free: false, lease: undefined } },
    });
  });

  test.each([
    [0, true],
    [-1, true],
    [1, false],
  ])("for %d ms leaves the stream free: %j", (ttlMs, free) => {
    const lease = { holder: "node", ttlMs };
    expect(assign([batch({ fence: held(2, { acquire: lease }) })], [row()]).after).toEqual({
      [one]: { head: 4, epoch: 3, free, lease },
    });
  });
});

describe("the end of a lease", () => {
  test("by its holder keeps the epoch and frees the stream for the next claim", () => {
    const acquire = { holder: "other", ttlMs: 1000 };
    const batches = [
      batch({ fence: held(2, { release: true }), events: onto(one) }),
      batch({ fence: held(2, { acquire }) }),
    ];
    expect(assign(batches.slice(0, 1), [row({ free: false })])).toEqual({
      results: [{ ok: true, seqs: [5], epoch: 2 }],
      after: { [one]: { head: 5, epoch: 2, free: true, lease: null } },
    });
    expect(assign(batches, [row({ free: false })]).results).toEqual([
      { ok: true, seqs: [5], epoch: 2 },
      { ok: true, seqs: [], epoch: 3 },
    ]);
  });

  test("by a revocation gives the next epoch, so that the holder's next batch is refused", () => {
    const batches = [batch({ revoke: one, events: onto(one) }), batch({ fence: held(2), events: onto(one) })];
    expect(assign(batches, [row({ free: false })])).toEqual({
      results: [{ ok: true, seqs: [5], epoch: null }, fenced],
      after: { [one]: { head: 5, epoch: 3, free: true, lease: null } },
    });
  });

  test("a revocation of a stream without a row does nothing", () => {
    expect(assign([batch({ revoke: two })], [row()])).toEqual({
      results: [{ ok: true, seqs: [], epoch: null }],
      after: { [one]: { head: 4, epoch: 2, free: true, lease: undefined } },
    });
  });
});
