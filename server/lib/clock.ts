/** The wall clock and the timers, as one thing that can be handed in. */
export type Clock = {
  readonly now: () => number;
  /** Milliseconds that only grow; for durations. */
  readonly monotonic: () => number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
