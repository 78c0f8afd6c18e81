import { threadStream } from "../../protocol/ids.ts";
import { driveThread, type DriveControl, type Lease } from "./drive.ts";
import { sleep } from "../lib/sleep.ts";
import type { Abort, RunDeps } from "./run-context.ts";
import type { RowOf } from "../store/schema.ts";

/**
 * Drives runs to their end, one at a time per thread. Wakes carry no data. A lost or duplicate wake is harmless: a periodic
 * sweep finds every thread that has work and no lease.
 */
export type Runner = {
  readonly wake: (threadId: string) => void;
  /**
   * Starts the drive for a message whose admission is queued for commit: its delivery and the first model call are planned while
   * the admission is being written, and usually committed in the same transaction. If the admission is rejected, so is the delivery.
   * docs/internals.md describes it under *Prefetch*.
   */
  readonly prefetch: (input: RowOf<"inputs">) => void;
  /** Starts listening for wakes, renewing leases and sweeping for threads that other processes left. */
  readonly start: () => void;
  /** Starts no further run. Resolves when the current runs have ended or the time is over. */
  readonly drain: (ms: number, hurry?: AbortSignal) => Promise<void>;
  /** Aborts the current runs, releases their leases, and resolves when none is left. */
  readonly close: (isCrash?: boolean) => Promise<void>;
  readonly stats: () => { readonly driving: number; readonly driven: number; readonly failed: number };
};

type Options = {
  readonly deps: RunDeps;
  readonly lease: Lease;
  /**
   * No other process can claim a thread. Then leases are not renewed: an expired one lets the sweep find the thread of a failed
   * drive, and the threads that are driven are known here.
   */
  readonly isOnlyNode?: boolean;
  readonly sweepMs?: number;
  readonly onError: (error: unknown, threadId: string | null) => void;
};

type Drive = {
  /** A wake arrived during the drive, so the thread is checked once more. */
  again: boolean;
  wakes: number;
  runId: string | null;
  controller: AbortController | null;
  done: Promise<void>;
};

/** How a drive was started, other than by a wake. */
type DriveStart = { readonly pendingInput?: RowOf<"inputs">; readonly isSwept?: boolean };

/** A step that crashes the process usually does so at once. Later runs must not wait for a step that takes minutes. */
const MAX_TURN_MS = 5_000;

/** A sweep costs O(live runs). With one node it finds only what failed here, because stops and inputs wake their threads. */
const SWEEP_MS = 1_000;
const SWEEP_ALONE_MS = 3_000;
const MAX_SWEPT = 1_000;

export function createRunner({
  deps,
  lease,
  isOnlyNode = false,
  sweepMs = isOnlyNode ? SWEEP_ALONE_MS : SWEEP_MS,
  onError,
}: Options): Runner {
  const drives = new Map<string, Drive>();
  let isStarted = false;
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

  const begin = (threadId: string, start: DriveStart = {}): void => {
    const drive: Drive = { again: false, wakes: 0, runId: null, controller: null, done: Promise.resolve() };
    drives.set(threadId, drive);
    drive.done = driveUntilIdle(threadId, drive, start);
  };

  const prefetch = (input: RowOf<"inputs">): void => {
    if (isStarted && !draining && !drives.has(input.thread)) begin(input.thread, { pendingInput: input });
  };

  const driveUntilIdle = async (threadId: string, drive: Drive, first: DriveStart): Promise<void> => {
    driven += 1;
    let start = first;
    try {
      do {
        drive.again = false;
        await driveThread(deps, { threadId, lease, control: controlOf(drive), ...start });
        start = {};
      } while (drive.again && !draining);
    } catch (error) {
      failed += 1;
      onError(error, threadId);
    } finally {
      drives.delete(threadId);
    }
    // A wake that arrived while the drive failed was not acted on.
    if (drive.again) wake(threadId);
  };

  const waitForTurn = createTurns();
  const controlOf = (drive: Drive): DriveControl => ({
    begin: (runId, controller, isPrefetched) => {
      drive.runId = runId;
      drive.controller = controller;
      // A prefetched run already includes the input of the first wake.
      if (isPrefetched && drive.wakes === 1) drive.again = false;
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

  /** A wake carries no data, so the stop is read from the run's row. */
  const abortIfStopped = async (drive: Drive): Promise<void> => {
    if (!drive.runId) return;
    const row = await deps.store.read.run(drive.runId);
    if (row?.stop === 1 && row.id === drive.runId) abort(drive, "stop");
    if (!row) abort(drive, new Error("The thread was deleted."));
  };

  /** Renews only leases of driven threads. The lease of a failed drive expires, and the sweep finds its thread. */
  const renew = async (): Promise<void> => {
    if (drives.size > 0) await deps.store.renewLeases(lease.holder, [...drives.keys()].map(threadStream), lease.ttlMs);
  };

  const sweep = async (): Promise<void> => {
    const byRun = new Map([...drives.values()].map((drive) => [drive.runId, drive]));
    const running = [...byRun.keys()].filter((runId) => runId !== null);
    for (const runId of await deps.store.read.stoppedRuns(running)) abort(byRun.get(runId), "stop");
    // Threads that are driven under an expired lease must not hide the others.
    const most = MAX_SWEPT + (isOnlyNode ? drives.size : 0);
    for (const threadId of await deps.store.read.abandonedThreads(most)) {
      if (!draining && !drives.has(threadId)) begin(threadId, { isSwept: true });
    }
  };

  const every = (ms: number, work: () => Promise<unknown>): (() => void) => {
    const { timer, runOnce } = repeat(ms, work, (error) => onError(error, null));
    timers.push(timer);
    return runOnce;
  };

  return {
    wake,
    prefetch,
    start: () => {
      isStarted = true;
      deps.log.onDrive((threads) => threads.forEach(wake));
      if (!isOnlyNode) every(lease.ttlMs / 3, renew);
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
      const reason = isCrash ? new Error("The process is shutting down after an uncaught exception.") : "shutdown";
      for (const drive of drives.values()) abort(drive, reason);
      await Promise.all([...drives.values()].map((drive) => drive.done));
    },
    stats: () => ({ driving: drives.size, driven, failed }),
  };
}

/** Lets runs that may have crashed the server continue one at a time. A turn ends with a call of the returned function, or after MAX_TURN_MS. */
function createTurns(): DriveControl["waitForTurn"] {
  let lastTurn: Promise<unknown> = Promise.resolve();
  return async (signal) => {
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
}

/** Runs `work` periodically, skipping a run while the previous one is still in progress. */
function repeat(ms: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let isBusy = false;
  const run = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    await work().catch(onError);
    isBusy = false;
  };
  return {
    timer: setInterval(() => void run(), ms).unref(),
    runOnce: () => void setImmediate(() => void run()),
  };
}
