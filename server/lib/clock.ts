/** Wall clock and monotonic time, injectable for tests. */
export type Clock = {
  readonly now: () => number;
  /** Milliseconds that never go back, for durations. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export const DAY_MS = 86_400_000;
