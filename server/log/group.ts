import type { Batch, BatchResult, Store } from "../store/contract.ts";
import type { Clock } from "../lib/clock.ts";

/**
 * A batch waiting to be committed. `batch` is called when the transaction starts, so deltas can accumulate until then.
 */
export type GroupEntry = {
  readonly batch: () => Batch;
  readonly settle: (result: Exclude<BatchResult, { readonly why: "failed" }>) => void;
  readonly fail: (error: Error) => void;
  /** Earliest time on the monotonic clock. IMMEDIATELY: a caller is waiting for it. */
  dueAt: number;
};
export const IMMEDIATELY = 0;

export type Group = {
  readonly add: (entry: GroupEntry) => void;
  /** Makes an entry due now. Entries added later are committed after it. */
  readonly expedite: (entry: GroupEntry) => void;
  /** Resolves when everything added so far is committed or has failed. */
  readonly drain: () => Promise<void>;
  readonly stats: { flushes: number; batches: number; commitMs: number };
};

type Options = {
  readonly store: Pick<Store, "commit">;
  readonly clock: Clock;
  /** Called after a transaction to publish its rows. */
  readonly onCommitted: () => void;
  /** Called with the duration of each transaction. */
  readonly onDuration?: ((ms: number) => void) | undefined;
};

/** A transaction takes no further batch above this size, which bounds memory and keeps latency low. */
const MAX_GROUP_CHARACTERS = 8_000_000;

/**
 * Group commit: one transaction at a time for all streams. Entries with a waiting caller are committed as soon as the
 * previous transaction is done, others when they are due. All due entries share one transaction, so group size grows
 * with load.
 */
export function createGroup({ store, clock, onCommitted, onDuration }: Options): Group {
  const stats = { flushes: 0, batches: 0, commitMs: 0 };
  let waiting: GroupEntry[] = [];
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

  const reschedule = (): void => {
    firstDueAt = waiting.reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity);
    schedule();
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = immediate = undefined;
    const startedAt = clock.monotonic();
    const entries: GroupEntry[] = [];
    const batches: Batch[] = [];
    const later: GroupEntry[] = [];
    let size = 0;
    for (const entry of waiting) {
      if (entry.dueAt > startedAt || size >= MAX_GROUP_CHARACTERS) {
        later.push(entry);
        continue;
      }
      const batch = entry.batch();
      size += sizeOf(batch);
      entries.push(entry);
      batches.push(batch);
    }
    if (entries.length === 0) return reschedule();
    waiting = later;
    running = true;
    store.commit(batches).then(
      (results) => finish(entries, startedAt, (entry, index) => reportResult(entry, results[index] as BatchResult)),
      (error: Error) => finish(entries, startedAt, (entry) => entry.fail(error)),
    );
  };

  const finish = (
    entries: readonly GroupEntry[],
    startedAt: number,
    report: (entry: GroupEntry, index: number) => void,
  ): void => {
    stats.flushes += 1;
    stats.batches += entries.length;
    const ms = clock.monotonic() - startedAt;
    stats.commitMs += 0.2 * (ms - stats.commitMs);
    onDuration?.(ms);
    running = false;
    entries.forEach(report);
    // Start the next transaction before delivering rows to readers.
    const now = clock.monotonic();
    if (!immediate && waiting.some(({ dueAt }) => dueAt <= now)) flush();
    onCommitted();
    if (!running) reschedule();
    if (!running && waiting.length === 0) {
      for (const resolve of drained) resolve();
      drained = [];
    }
  };

  const noteDue = (dueAt: number): void => {
    firstDueAt = Math.min(firstDueAt, dueAt);
    schedule();
  };

  return {
    stats,
    add: (entry) => {
      waiting.push(entry);
      noteDue(entry.dueAt);
    },
    expedite: (entry) => {
      entry.dueAt = IMMEDIATELY;
      noteDue(IMMEDIATELY);
    },
    drain: () => (running || waiting.length > 0 ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve()),
  };
}

const reportResult = (entry: GroupEntry, result: BatchResult): void =>
  result.ok || result.why !== "failed" ? entry.settle(result) : entry.fail(new Error(result.message));

/** Characters of text that a batch stores. */
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
