import { Worker } from "node:worker_threads";

/**
 * Kills this process when its event loop is blocked, which also blocks timers and signal handlers. A separate thread
 * counts the loop's heartbeats. It counts ticks, not time, so that a suspended machine or process does not count as
 * blocked.
 */
type Watchdog = {
  /** Kills the process if it has not exited after `ms`. */
  readonly endWithin: (ms: number) => void;
};

export const TICK_MS = 250;
/** Indexes into the shared memory: heartbeats of the event loop, and ticks left until the process is killed. */
export const [BEATS, TICKS_LEFT] = [0, 1];

export type WatchdogSetup = { readonly shared: SharedArrayBuffer; readonly blockedTicks: number };

/** With `blockedMs` 0, only `endWithin` kills a blocked process. */
export function startWatchdog(blockedMs: number): Watchdog {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(shared);
  const workerData: WatchdogSetup = { shared, blockedTicks: Math.ceil(blockedMs / TICK_MS) };
  new Worker(new URL("./watchdog-thread.ts", import.meta.url), { workerData }).unref();
  setInterval(() => Atomics.add(cells, BEATS, 1), TICK_MS).unref();
  return { endWithin: (ms) => void Atomics.store(cells, TICKS_LEFT, Math.max(1, Math.ceil(ms / TICK_MS))) };
}
