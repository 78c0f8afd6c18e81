import type { StreamName } from "../../protocol/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Store } from "../store/contract.ts";
import { IMMEDIATELY, createGroup } from "./group.ts";
import { createReaders } from "./readers.ts";
import { toStored, type StoredBatch } from "./stored-batch.ts";
import type { CommitResult, LogBatch, Row, Watch } from "./types.ts";
import { createWriter, type Writer, type WriterOptions } from "./writer.ts";

export type { CommitResult, LogBatch, LogEntry } from "./types.ts";
export { LeaseLost, type Writer, type WriterBatch, type WriterOptions } from "./writer.ts";

/**
 * The event log. Accepts batches of events with their row writes and delivers committed rows to watchers. Every write
 * goes through `commit` or a `Writer`, so waking readers cannot be forgotten; nothing is sent before it is durable.
 */
export type Log = {
  /** Durable and atomic when it resolves; the result says if the batch was refused. */
  readonly commit: (batch: LogBatch) => Promise<CommitResult>;
  /** Returns a writer bound to a lease. */
  readonly open: (options: WriterOptions) => Writer;
  readonly watch: Watch;
  /** Called with threads that have new work, from this or another process. Advisory: the rows decide. */
  readonly onDrive: (callback: (threads: readonly string[]) => void) => void;
  readonly stats: () => { flushes: number; batches: number; commitMs: number; readers: number };
  readonly close: () => Promise<void>;
};

type Options = {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** How often to poll for new rows, in case a notification from another process was lost. */
  readonly pollMs?: number;
  /** No other process commits. Then rows can be missed only after a read or a commit has failed. */
  readonly isOnlyNode?: boolean;
  /** Called with the duration of each transaction. */
  readonly onDuration?: (ms: number) => void;
};

export function createLog({ store, clock, onError, onDuration, pollMs = 2000, isOnlyNode = false }: Options): Log {
  let mayMissRows = !isOnlyNode;
  const readers = createReaders(store, (error) => {
    mayMissRows = true;
    onError(error);
  });
  const unpublished = new Map<StreamName, Row[]>();
  const drivers: ((threads: readonly string[]) => void)[] = [];
  const drive = (threads: readonly string[]) => drivers.forEach((callback) => callback(threads));

  const group = createGroup({
    ...{ clock, onDuration },
    store: {
      commit: (batches) =>
        store.commit(batches).catch((error: unknown) => {
          // It may have been committed without its rows being published.
          mayMissRows = true;
          throw error;
        }),
    },
    onCommitted: () => {
      for (const [stream, rows] of unpublished) readers.publish(stream, rows);
      unpublished.clear();
    },
  });

  const collect = ({ batch, bodies }: StoredBatch, seqs: readonly number[]): void => {
    for (const [index, { stream }] of batch.events.entries()) {
      const row = { seq: seqs[index] ?? 0, body: bodies[index] ?? "" };
      const rows = unpublished.get(stream);
      if (rows) rows.push(row);
      else unpublished.set(stream, [row]);
    }
    if (batch.drive?.length) drive(batch.drive);
  };

  const submit = (stored: StoredBatch): Promise<CommitResult> =>
    new Promise((resolve, reject) => {
      const settle = (result: CommitResult) => {
        if (result.ok) collect(stored, result.seqs);
        resolve(result);
      };
      group.add({ batch: () => stored.batch, settle, fail: reject, dueAt: IMMEDIATELY });
    });

  store.onForeignCommit((streams, threads) => {
    readers.wake(streams);
    if (threads.length) drive(threads);
  });
  const poll = setInterval(() => void wakeStale().catch(onError), pollMs).unref();
  const wakeStale = async (): Promise<void> => {
    if (!mayMissRows) return;
    mayMissRows = !isOnlyNode;
    try {
      const heads = await store.read.heads(readers.streams());
      readers.wake(
        [...heads].flatMap(([stream, head]) =>
          head > readers.cursorOf(stream as StreamName) ? [stream as StreamName] : [],
        ),
      );
    } catch (error) {
      mayMissRows = true;
      throw error;
    }
  };

  return {
    commit: (batch) => submit(toStored(batch)),
    open: (options) => createWriter({ group, clock, collect, submit }, options),
    watch: readers.watch,
    onDrive: (callback) => void drivers.push(callback),
    stats: () => ({ ...group.stats, readers: readers.count() }),
    close: async () => {
      clearInterval(poll);
      await group.drain();
    },
  };
}
