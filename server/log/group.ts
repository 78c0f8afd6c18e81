import type { Batch, BatchResult, Store } from "../store/contract.ts";
import type { Clock } from "../lib/clock.ts";

/** One batch on its way to the database. `batch` is asked for when the transaction starts, so deltas can gather till then. */
export type Entry = {
  readonly batch: () => Batch;
  readonly settle: (result: BatchResult) => void;
  readonly fail: (error: Error) => void;
};

export type Group = {
  /** `urgent`: somebody waits for it. What only continues a part may wait for the gap. */
  readonly add: (entry: Entry, urgent: boolean) => void;
  /** Resolves when everything added so far is committed or has failed. */
  readonly drain: () => Promise<void>;
  readonly stats: { flushes: number; batches: number; commitMs: number; gapMs: number };
};

type Options = {
  readonly store: Pick<Store, "commit">;
  readonly clock: Clock;
  /** After a transaction, before anyone is told: publish its rows. */
  readonly published: () => void;
};

const MAX_GAP_MS = 20;
/** The gap is this many times the length of a commit: the database is busy at most a fifth of the time. */
const GAP_FACTOR = 4;

/**
 * One transaction at a time for all streams. Idle, a batch goes at once; under load deltas gather for a gap that grows with
 * the commits' own length, up to 20 ms. The same flush that saves commits saves socket writes.
 */
export function createGroup({ store, clock, published }: Options): Group {
  const stats = { flushes: 0, batches: 0, commitMs: 0, gapMs: 0 };
  let waiting: Entry[] = [];
  let urgentWaiting = false;
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let idleSince = -Infinity;
  let drained: (() => void)[] = [];

  const schedule = (): void => {
    if (running || immediate || waiting.length === 0) return;
    const restMs = urgentWaiting ? 0 : idleSince + stats.gapMs - clock.monotonic();
    if (restMs > 0) {
      timer ??= setTimeout(flush, restMs);
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    immediate = setImmediate(flush);
  };

  const flush = (): void => {
    clearTimeout(timer);
    clearImmediate(immediate);
    timer = immediate = undefined;
    if (running) return;
    const entries = waiting;
    waiting = [];
    urgentWaiting = false;
    running = true;
    const startedAt = clock.monotonic();
    store.commit(entries.map((entry) => entry.batch())).then(
      (results) => finish(entries, startedAt, (entry, index) => entry.settle(results[index] as BatchResult)),
      (error: Error) => finish(entries, startedAt, (entry) => entry.fail(error)),
    );
  };

  const finish = (entries: readonly Entry[], startedAt: number, tell: (entry: Entry, index: number) => void): void => {
    idleSince = clock.monotonic();
    stats.flushes += 1;
    stats.batches += entries.length;
    stats.commitMs += 0.2 * (idleSince - startedAt - stats.commitMs);
    stats.gapMs = Math.min(MAX_GAP_MS, GAP_FACTOR * stats.commitMs);
    running = false;
    entries.forEach(tell);
    published();
    schedule();
    if (!running && waiting.length === 0) {
      for (const resolve of drained) resolve();
      drained = [];
    }
  };

  return {
    stats,
    add: (entry, urgent) => {
      waiting.push(entry);
      urgentWaiting ||= urgent;
      schedule();
    },
    drain: () => (running || waiting.length > 0 ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve()),
  };
}
