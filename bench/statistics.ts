/** The quantile of sorted numbers: the smallest that at least this share of them does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

export const p99 = (values: readonly number[]): number => quantile(ascending(values), 0.99);

export const p95 = (values: readonly number[]): number => quantile(ascending(values), 0.95);

/** The slope of the least-squares line through the points. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [midX, midY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const over = points.reduce((sum, [x, y]) => sum + (x - midX) * (y - midY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - midX) ** 2, 0);
}

export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
