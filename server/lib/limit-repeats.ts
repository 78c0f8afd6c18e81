import type { Clock } from "./clock.ts";

const EVERY_MS = 60_000;
const MOST_KEYS = 100;

/** Reports an error with a known message at most once a minute, with the number of those left out. */
export function limitRepeats(report: (error: unknown, repeats: number) => void, clock: Pick<Clock, "monotonic">) {
  const known = new Map<string, { reportedAt: number; repeats: number }>();
  return (error: unknown): void => {
    const key = error instanceof Error ? error.message : String(error);
    const now = clock.monotonic();
    const last = known.get(key);
    if (last && now - last.reportedAt < EVERY_MS) {
      last.repeats += 1;
      return;
    }
    if (!last && known.size >= MOST_KEYS) known.clear();
    known.set(key, { reportedAt: now, repeats: 0 });
    report(error, last?.repeats ?? 0);
  };
}
