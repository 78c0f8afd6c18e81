/** Wall clock and monotonic clock, injectable for tests. */
export type Clock = {
  readonly now: () => number;
  /** Never decreases; for durations in milliseconds. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export const DAY_MS = 86_400_000;
