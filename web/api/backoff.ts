const firstMs = 400;
const longestMs = 15_000;

/** How long to wait before attempt n (from 1): doubling, with jitter over its upper half so that pages do not return together. */
export function toBackoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}
