/** A generator of numbers in [0, 1) from a seed (mulberry32): the same figures every time. */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Interval = { readonly value: number; readonly low: number; readonly high: number; readonly n: number };

const REPEATS = 1_000;

/** The figure over all threads, and where 95 of 100 draws of as many threads, with repetition, put it. */
export function bootstrap<T>(threads: readonly T[], measure: (some: readonly T[]) => number, seed = 1): Interval {
  const value = measure(threads);
  const chance = createChance(seed);
  const draws = Array.from({ length: threads.length < 2 ? 0 : REPEATS }, () =>
    measure(threads.map((one) => threads[Math.floor(chance() * threads.length)] ?? one)),
  )
    .filter((one) => Number.isFinite(one))
    .sort((a, b) => a - b);
  const at = (share: number): number => draws[Math.floor(share * (draws.length - 1))] ?? value;
  return { value, low: at(0.025), high: at(0.975), n: threads.length };
}

/** Which threads parameters were chosen on: every second one. The others are the ones to report. */
export const splitThreads = <T>(
  threads: readonly T[],
): { readonly tune: readonly T[]; readonly report: readonly T[] } => ({
  tune: threads.filter((_, index) => index % 2 === 0),
  report: threads.filter((_, index) => index % 2 === 1),
});
