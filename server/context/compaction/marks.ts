/** Where a body is cut to (`low`) and how far it may grow before that (`high`), in tokens without tools and system. */
export type Marks = {
  readonly low: number;
  readonly high: number;
  /** What the prices alone would make of high - low. */
  readonly spread: number;
  readonly growth: number;
};

type Situation = {
  /** Of the whole window. */
  readonly window: number;
  /** What is left of it for the body. */
  readonly room: number;
  /** The smallest body that is good enough: the head's budget and a tail of whole turns. */
  readonly wanted: number;
  /** New tokens per call, as this thread goes. */
  readonly growth: number;
  /** Prices of cache writes and reads, as multiples of the input's. */
  readonly write: number;
  readonly read: number;
  /** What a compaction costs beside, in input tokens. */
  readonly extra: number;
};

/** Fewer tokens than these between two compactions are not worth the person's attention. */
export const LEAST_SPREAD = 4_000;

/**
 * Of the quantity that costs least, which is flat around its optimum: wider by this the cost rises by a few in a hundred, and half
 * as many compactions take words from the prompt.
 */
const WIDER = 2;

/**
 * Rebuilding too often pays writes, too seldom pays for carrying: the spread is the economic order quantity. In a small window
 * its half wins, and the low mark shrinks.
 */
export function toMarks({ window, room, wanted, growth, write, read, extra }: Situation): Marks {
  const upper = Math.max(0, Math.min(Math.floor(window / 2), room));
  const low = Math.min(wanted, Math.floor(upper / 2));
  const price = Math.max(0.01, read);
  const spread = WIDER * Math.sqrt((2 * growth * (Math.max(0, write - read) * low + extra)) / price);
  const high = Math.min(upper, Math.round(low + Math.max(LEAST_SPREAD, spread)));
  return { low, high, spread: Math.round(spread), growth: Math.round(growth) };
}
