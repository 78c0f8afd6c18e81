import type { Clock } from "../lib/clock.ts";
import type { Fence, PlannedEvent } from "../store/contract.ts";
import { threadStream } from "../../protocol/ids.ts";
import { IMMEDIATELY, type GroupEntry, type Group } from "./group.ts";
import type { CommitResult, LogBatch } from "./types.ts";
import { toStored, type StoredBatch } from "./stored-batch.ts";

export type WriterOptions = {
  readonly threadId: string;
  readonly epoch: number;
  /** Called once, when the lease is lost or the database failed: the caller must stop its work. */
  readonly onLost: (error: Error) => void;
};

export type Writer = {
  /**
   * Appends text to a streaming part. `head` is the event's JSON up to its text: `{"type":"text-delta",...,"text":`.
   */
  readonly append: (head: string, text: string) => void;
  /** Commits after all earlier appends. Rejects with `LeaseLost`, with `WriteConflict`, or if the database failed. */
  readonly commit: (batch: WriterBatch) => Promise<readonly number[]>;
  /** Like `commit`, but returns null on a conflict or a missing row; then nothing was written. */
  readonly attempt: (batch: WriterBatch) => Promise<readonly number[] | null>;
};

export type WriterBatch = Omit<LogBatch, "fence"> & { readonly release?: true };

/** Another process has claimed the lease: this writer's fencing number is no longer current. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** The lease is still held, but a row that the batch expects has changed, so nothing was written and the run is abandoned. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
}

/**
 * Minimum gap between delta rows of a stream: deltas within it are merged into one row and one socket write. A stream
 * that was silent for longer does not wait. Waiting streams share ticks, so that one transaction commits them all.
 */
const GAP_MS = 15;
const TICK_MS = 10;

/** Text of one part, waiting for its transaction. */
type Delta = { readonly head: string; text: string };
type Pending = { readonly entry: GroupEntry; readonly deltas: Delta[] };
type Deps = {
  readonly group: Group;
  readonly clock: Clock;
  readonly submit: (stored: StoredBatch) => Promise<CommitResult>;
  /** Passes the rows of a committed batch on for publishing. */
  readonly collect: (stored: StoredBatch, seqs: readonly number[]) => void;
};

/** Appends deltas and commits batches under a lease. After an error, every later call fails with that error. */
export function createWriter(
  { group, clock, collect, submit }: Deps,
  { threadId, epoch, onLost }: WriterOptions,
): Writer {
  const stream = threadStream(threadId);
  let pending: Pending | undefined;
  /** Earliest time for the next delta: a gap after the last one, and never while one is being committed. */
  let freeAt = IMMEDIATELY;
  let lost: Error | undefined;
  const lose = (error: Error): Error => {
    if (!lost) onLost((lost = error));
    return lost;
  };

  const free = (at: number): void => {
    freeAt = at;
    if (pending && pending.entry.dueAt !== IMMEDIATELY) pending.entry.dueAt = at;
  };

  const addPending = (dueAt: number): Pending => {
    const deltas: Delta[] = [];
    let stored: StoredBatch | undefined;
    const entry: GroupEntry = {
      dueAt,
      batch: () => {
        if (pending?.entry === entry) pending = undefined;
        freeAt = Infinity;
        const bodies = deltas.map(({ head, text }) => `${head}${JSON.stringify(text)}}`);
        const events = bodies.map((body): PlannedEvent => ({ stream, body, transient: true }));
        stored = { batch: { fence: { stream, epoch }, events, writes: [] }, bodies };
        return stored.batch;
      },
      settle: (result) => {
        free(Math.ceil((clock.monotonic() + GAP_MS) / TICK_MS) * TICK_MS);
        if (result.ok && stored) collect(stored, result.seqs);
        else lose(new LeaseLost("This thread's lease was claimed by another process."));
      },
      fail: (error) => {
        free(IMMEDIATELY);
        lose(error);
      },
    };
    group.add(entry);
    return { entry, deltas };
  };

  const attempt = async ({ release, ...batch }: WriterBatch): Promise<readonly number[] | null> => {
    if (lost) throw lost;
    if (pending) group.expedite(pending.entry);
    pending = undefined;
    const fence: Fence = release ? { stream, epoch, release } : { stream, epoch };
    const result = await submit(toStored({ ...batch, fence })).catch((error: Error) => {
      throw lose(error);
    });
    if (result.ok) return result.seqs;
    if (result.why === "fenced") throw lose(new LeaseLost("This thread's lease was claimed by another process."));
    return null;
  };

  let lastHead = "";
  return {
    append: (head, text) => {
      if (lost) return;
      const { deltas } = (pending ??= addPending(head === lastHead ? freeAt : IMMEDIATELY));
      lastHead = head;
      const last = deltas.at(-1);
      if (last?.head === head) last.text += text;
      else deltas.push({ head, text });
    },
    attempt,
    commit: async (batch) => {
      const seqs = await attempt(batch);
      if (!seqs) throw lose(new WriteConflict("The thread's state changed since this run last wrote it."));
      return seqs;
    },
  };
}
