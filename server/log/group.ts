import type { Batch, BatchResult, Store } from "../store/contract.ts";
import type { Clock } from "../lib/clock.ts";

/** One batch on its way to the database. `batch` is asked for when the transaction starts, so deltas can gather till then. */
export type Entry = {
  readonly batch: () => Batch;
  readonly settle: (result: Exclude<BatchResult, { readonly why: "failed" }>) => void;
  readonly fail: (error: Error) => void;
  /** Not before this moment of the monotonic clock. AT_ONCE: somebody waits for it. */
  dueAt: number;
};
export const AT_ONCE = 0;

export type Group = {
  readonly add: (entry: Entry) => void;
  /** What waits goes with the next transaction, and what is added after it comes after it. */
  readonly hasten: (entry: Entry) => void;
  /** Resolves when everything added so far is committed or has failed. */
  readonly drain: () => Promise<void>;
  readonly stats: { flushes: number; batches: number; commitMs: number };
};

type Options = {
  readonly store: Pick<Store, "commit">;
  readonly clock: Clock;
  /** After a transaction, before anyone is told: publish its rows. */
  readonly published: () => void;
};

/** A transaction takes no further batch once it holds this much text: memory stays bounded, and small batches go soon. */
const MOST_GROUP_CHARACTERS = 8_000_000;

/**
 * One transaction at a time for all streams: what somebody waits for goes as soon as the one before it is done, the rest
 * when it is due. Whatever is due by then goes together, so the load itself makes the groups.
 */
export function createGroup({ store, clock, published }: Options): Group {
  const stats = { flushes: 0, batches: 0, commitMs: 0 };
  let waiting: Entry[] = [];
  let firstDueAt = Infinity;
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Infinity;
  let immediate: NodeJS.Immediate | undefined;
  let drained: (() => void)[] = [];

  const schedule = (): void => {
    if (running || immediate || firstDueAt === Infinity) return;
    const waitMs = firstDueAt - clock.monotonic();
    if (waitMs > 0 && timer && firstDueAt >= timerAt) return;
    clearTimeout(timer);
    timerAt = firstDueAt;
    timer = waitMs > 0 ? setTimeout(flush, Math.ceil(waitMs)) : undefined;
    if (!timer) immediate = setImmediate(flush);
  };

  const look = (): void => {
    firstDueAt = waiting.reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity);
    schedule();
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = immediate = undefined;
    const startedAt = clock.monotonic();
    const entries: Entry[] = [];
    const batches: Batch[] = [];
    const later: Entry[] = [];
    let size = 0;
    for (const entry of waiting) {
      if (entry.dueAt > startedAt || size >= MOST_GROUP_CHARACTERS) {
        later.push(entry);
        continue;
      }
      const batch = entry.batch();
      size += sizeOf(batch);
      entries.push(entry);
      batches.push(batch);
    }
    if (entries.length === 0) return look();
    waiting = later;
    running = true;
    store.commit(batches).then(
      (results) => finish(entries, startedAt, (entry, index) => tell(entry, results[index] as BatchResult)),
      (error: Error) => finish(entries, startedAt, (entry) => entry.fail(error)),
    );
  };

  const finish = (entries: readonly Entry[], startedAt: number, tell: (entry: Entry, index: number) => void): void => {
    stats.flushes += 1;
    stats.batches += entries.length;
    stats.commitMs += 0.2 * (clock.monotonic() - startedAt - stats.commitMs);
    running = false;
    entries.forEach(tell);
    // The database need not wait while rows are handed to their readers.
    const now = clock.monotonic();
    if (!immediate && waiting.some(({ dueAt }) => dueAt <= now)) flush();
    published();
    if (!running) look();
    if (!running && waiting.length === 0) {
      for (const resolve of drained) resolve();
      drained = [];
    }
  };

  const note = (dueAt: number): void => {
    firstDueAt = Math.min(firstDueAt, dueAt);
    schedule();
  };

  return {
    stats,
    add: (entry) => {
      waiting.push(entry);
      note(entry.dueAt);
    },
    hasten: (entry) => {
      entry.dueAt = AT_ONCE;
      note(AT_ONCE);
    },
    drain: () => (running || waiting.length > 0 ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve()),
  };
}

const tell = (entry: Entry, result: BatchResult): void =>
  result.ok || result.why !== "failed" ? entry.settle(result) : entry.fail(new Error(result.message));

/** Characters of stored text in a batch. */
function sizeOf({ events, writes }: Batch): number {
  let size = 0;
  for (const { body } of events) size += body.length;
  for (const write of writes) {
    const values = write.do === "insert" || write.do === "put" ? write.row : write.do === "update" ? write.set : {};
    for (const value of Object.values<unknown>(values)) {
      if (typeof value === "string") size += value.length;
      else if (typeof value === "object" && value !== null && "lengthBytes" in value) size += Number(value.lengthBytes);
    }
  }
  return size;
}
