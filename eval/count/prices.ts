/** Prices as multiples of the price of an uncached input token. */
export type Prices = { readonly name: string; readonly read: number; readonly write: number };

/** A token of an answer costs this many of the input's; only summaries have any here, for the answers are the same for all. */
export const OUTPUT_PRICE = 5;

/** The main ids use a write price of 1; the other price tables are reported separately. */
export const priceTables: readonly Prices[] = [
  { name: "r10", read: 0.1, write: 1 },
  { name: "r05", read: 0.05, write: 1 },
  { name: "r025", read: 0.025, write: 1 },
  { name: "r02", read: 0.02, write: 1 },
  { name: "r10w125", read: 0.1, write: 1.25 },
  { name: "r10w200", read: 0.1, write: 2 },
  { name: "r02w125", read: 0.02, write: 1.25 },
];

/** One model call: its input, the part of it that begins like the call before, what is new in the thread since, and asides. */
export type Call = {
  readonly turn: number;
  readonly input: number;
  readonly shared: number;
  readonly fresh: number;
  readonly aside: number;
  /** The first of its thread has nothing before it. */
  readonly isFirst: boolean;
};

export const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0);

/** In input tokens: cache reads, cache writes and the cost of summaries. */
export const costOf = (calls: readonly Call[], { read, write }: Prices): number =>
  sum(calls, ({ input, shared, aside }) => read * shared + write * (input - shared) + aside);

/** The least that these prompts can cost: everything but what is new comes from the cache, and summaries cost nothing. */
export const floorOf = (calls: readonly Call[], { read, write }: Prices): number =>
  sum(calls, ({ input, fresh }) => read * Math.max(0, input - fresh) + write * Math.min(input, fresh));

/** The share of the input that begins like the call before, against the share that could: 1 - g / P. */
export function reuseShare(calls: readonly Call[]): number {
  const later = calls.filter(({ isFirst }) => !isFirst);
  const input = sum(later, (call) => call.input);
  const limit = 1 - sum(later, (call) => call.fresh) / input;
  return sum(later, (call) => call.shared) / input / limit;
}
