import { threadStream } from "../../protocol/ids.ts";
import { driveThread, type DriveControl, type Lease } from "./drive.ts";
import { sleep } from "../lib/sleep.ts";
import type { Abort, RunDeps } from "./running.ts";
import type { LogBatch } from "../log/log.ts";
import type { RowOf } from "../store/schema.ts";

/**
 * ONE ANSWER at a time per thread. In: wakes, which carry nothing. Out: runs carried to their end. A wake that is lost or
 * doubled changes nothing: a sweep finds every thread with something to do and nobody who does it.
 */
export type Runner = {
  readonly wake: (threadId: string) => void;
  /** Takes up what earlier processes left, and goes on doing so. */
  readonly start: () => void;
  /** Begins no further run, and resolves when those under way have ended or the time is over. */
  readonly drain: (ms: number, hurry?: AbortSignal) => Promise<void>;
  /** Breaks off what is under way, releases its leases, and resolves when nothing runs. */
  readonly close: (isCrash?: boolean) => Promise<void>;
  readonly stats: () => { readonly driving: number; readonly driven: number; readonly failed: number };
};

type Options = {
  readonly deps: RunDeps;
  readonly lease: Lease;
  readonly sweepMs?: number;
  readonly onError: (error: unknown, threadId: string | null) => void;
};

type Drive = {
  /** Woken while driving: look once more before leaving. */
  again: boolean;
  wakes: number;
  runId: string | null;
  controller: AbortController | null;
  done: Promise<void>;
};

/** Most steps that stop a process do so at once. Many runs may wait for their turn after a crash, and a step may take minutes. */
const MAX_TURN_MS = 5_000;

export function createRunner({ deps, lease, sweepMs = 1000, onError }: Options): Runner {
  const drives = new Map<string, Drive>();
  let draining = false;
  let closing = false;
  let driven = 0;
  let failed = 0;
  const timers: NodeJS.Timeout[] = [];

  const wake = (threadId: string): void => {
    if (closing) return;
    const known = drives.get(threadId);
    if (known) {
      known.again = true;
      known.wakes += 1;
      void abortIfStopped(known).catch((error: unknown) => onError(error, threadId));
      return;
    }
    if (!draining) begin(threadId);
  };

  const begin = (threadId: string, how: { coming?: RowOf<"inputs">; isSwept?: boolean } = {}): void => {
    const drive: Drive = { again: false, wakes: 0, runId: null, controller: null, done: Promise.resolve() };
    drives.set(threadId, drive);
    drive.done = driveUntilIdle(threadId, drive, how);
  };

  /** A message whose admission is in line is planned for at once, so that both go in one transaction. */
  const foresee = ({ writes }: LogBatch): void => {
    for (const write of writes) {
      if (write.do !== "insert" || write.table !== "inputs" || write.row.kind !== "message") continue;
      const coming = { ...write.row, seq: 0 } as RowOf<"inputs">;
      if (!draining && !drives.has(coming.thread)) begin(coming.thread, { coming });
    }
  };

  const driveUntilIdle = async (
    threadId: string,
    drive: Drive,
    how: { coming?: RowOf<"inputs">; isSwept?: boolean },
  ): Promise<void> => {
    driven += 1;
    let expected = how;
    try {
      do {
        drive.again = false;
        await driveThread(deps, { threadId, lease, hold: controlOf(drive), ...expected });
        expected = {};
      } while (drive.again && !draining);
    } catch (error) {
      failed += 1;
      onError(error, threadId);
    } finally {
      drives.delete(threadId);
    }
  };

  let lastTurn: Promise<unknown> = Promise.resolve();
  const waitForTurn: DriveControl["waitForTurn"] = async (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = lastTurn;
    lastTurn = before.then(() => promise);
    const aborted = new Promise<void>((stop) => {
      if (signal.aborted) stop();
      signal.addEventListener("abort", () => stop(), { once: true });
    });
    await Promise.race([before, aborted]);
    setTimeout(resolve, MAX_TURN_MS).unref();
    return resolve;
  };

  const controlOf = (drive: Drive): DriveControl => ({
    begin: (runId, controller, foreseen) => {
      drive.runId = runId;
      drive.controller = controller;
      // The only wake so far was that of the input whose coming began this.
      if (foreseen && drive.wakes === 1) drive.again = false;
      if (closing) abort(drive, "shutdown");
    },
    isDraining: () => draining,
    waitForTurn,
    end: () => {
      drive.runId = null;
      drive.controller = null;
    },
  });

  const abort = (drive: Drive | undefined, reason: Abort): void => drive?.controller?.abort(reason);

  /** A stop is a row: it is read, not told. */
  const abortIfStopped = async (drive: Drive): Promise<void> => {
    if (!drive.runId) return;
    const row = await deps.store.read.run(drive.runId);
    if (row?.stop === 1 && row.id === drive.runId) abort(drive, "stop");
    if (!row) abort(drive, new Error("the thread was deleted"));
  };

  /** Only of threads that are driven: a lease that a failed drive left behind runs out, and the sweep finds the thread. */
  const renew = async (): Promise<void> => {
    if (drives.size > 0) await deps.store.renewLeases(lease.holder, [...drives.keys()].map(threadStream), lease.ttlMs);
  };

  const sweep = async (): Promise<void> => {
    const byRun = new Map([...drives.values()].map((drive) => [drive.runId, drive]));
    const running = [...byRun.keys()].filter((runId) => runId !== null);
    for (const runId of await deps.store.read.stoppedRuns(running)) abort(byRun.get(runId), "stop");
    for (const threadId of await deps.store.read.abandonedThreads(1000)) {
      if (!draining && !drives.has(threadId)) begin(threadId, { isSwept: true });
    }
  };

  /** One at a time: a database that answers slowly is not asked twice. */
  const every = (ms: number, work: () => Promise<unknown>): (() => void) => {
    let busy = false;
    const beat = async (): Promise<void> => {
      if (busy) return;
      busy = true;
      await work().catch((error: unknown) => onError(error, null));
      busy = false;
    };
    timers.push(setInterval(() => void beat(), ms).unref());
    return () => void setImmediate(() => void beat());
  };

  return {
    wake,
    start: () => {
      deps.log.onDrive((threads) => threads.forEach(wake));
      deps.log.onComing(foresee);
      every(lease.ttlMs / 3, renew);
      every(sweepMs, sweep)();
    },
    drain: async (ms, hurry) => {
      draining = true;
      await Promise.race([Promise.all([...drives.values()].map((drive) => drive.done)), sleep(ms, hurry)]);
    },
    close: async (isCrash = false) => {
      draining = true;
      closing = true;
      timers.forEach(clearInterval);
      const reason = isCrash ? new Error("the process is shutting down after an uncaught exception") : "shutdown";
      for (const drive of drives.values()) abort(drive, reason);
      await Promise.all([...drives.values()].map((drive) => drive.done));
    },
    stats: () => ({ driving: drives.size, driven, failed }),
  };
}
