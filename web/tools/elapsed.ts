/** 400 ms as "0.4 s", 12,345 ms as "12 s", 65,000 ms as "1 min 5 s". */
export function describeElapsed(elapsedMs: number): string {
  const seconds = Math.max(0, elapsedMs) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

type Timed = { readonly startedAt?: number | undefined; readonly endedAt?: number | undefined };

/** From the first start to the last end, or null when nothing of it is known. */
export function spanOf(calls: readonly Timed[]): number | null {
  const starts = calls.flatMap(({ startedAt }) => startedAt ?? []);
  const ends = calls.flatMap(({ endedAt }) => endedAt ?? []);
  return starts.length === 0 || ends.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...starts));
}
