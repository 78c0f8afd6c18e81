/** Of numbers in ascending order: the smallest that at least this share of them does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

export const p99 = (values: readonly number[]): number => quantile(ascending(values), 0.99);

export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
