/** A compaction reduces the body to `low` tokens once it exceeds `high`. System prompt and tools are not counted. */
export type Marks = {
  readonly low: number;
  readonly high: number;
  /** The value of high - low that the prices alone would give. */
  readonly spread: number;
  readonly growth: number;
};

type Situation = {
  /** The model's whole window. */
  readonly window: number;
  /** The part of the window that is left for the body. */
  readonly room: number;
  /** The smallest useful body: the budget of the compaction summary and a tail of whole turns. */
  readonly wanted: number;
  /** Average of new tokens per call in this thread. */
  readonly growth: number;
  /** Prices of cache writes and reads, as multiples of the input price. */
  readonly write: number;
  readonly read: number;
  /** Additional cost of a compaction, in input tokens. */
  readonly extra: number;
};

/** More frequent compactions would disturb the user. */
export const LEAST_SPREAD = 4_000;

/** Multiple of the cheapest spread. The cost is flat around its minimum: twice as wide costs a few percent more and halves compactions. */
const WIDER = 2;

/**
 * Compacting often costs cache writes, compacting rarely costs longer prompts: the spread is the economic order quantity. In a
 * small window half of the window limits it, and the low mark shrinks.
 */
export function toMarks({ window, room, wanted, growth, write, read, extra }: Situation): Marks {
  const upper = Math.max(0, Math.min(Math.floor(window / 2), room));
  const low = Math.min(wanted, Math.floor(upper / 2));
  const price = Math.max(0.01, read);
  const spread = WIDER * Math.sqrt((2 * growth * (Math.max(0, write - read) * low + extra)) / price);
  const high = Math.min(upper, Math.round(low + Math.max(LEAST_SPREAD, spread)));
  return { low, high, spread: Math.round(spread), growth: Math.round(growth) };
}
