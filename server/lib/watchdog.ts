import { Worker } from "node:worker_threads";

/**
 * Ends this process when its event loop no longer can: a blocked loop runs neither timers nor signal handlers. A thread
 * of its own counts the loop's heartbeats. It counts ticks, not time, so a paused machine or process is not blocked.
 */
export type Watchdog = {
  /** From now on the process has this long to exit by itself. */
  readonly endWithin: (ms: number) => void;
};

export const TICK_MS = 250;
/** Places in the shared memory: heartbeats of the event loop, and the ticks left until the process must be gone. */
export const [BEATS, TICKS_LEFT] = [0, 1];

export type WatchdogSetup = { readonly shared: SharedArrayBuffer; readonly blockedTicks: number };

/** `blockedMs` 0: a blocked loop is only ended by `endWithin`. */
export function startWatchdog(blockedMs: number): Watchdog {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(shared);
  const workerData: WatchdogSetup = { shared, blockedTicks: Math.ceil(blockedMs / TICK_MS) };
  new Worker(new URL("./watchdog-thread.ts", import.meta.url), { workerData }).unref();
  setInterval(() => Atomics.add(cells, BEATS, 1), TICK_MS).unref();
  return { endWithin: (ms) => void Atomics.store(cells, TICKS_LEFT, Math.max(1, Math.ceil(ms / TICK_MS))) };
}
