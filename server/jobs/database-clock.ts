import type { Clock } from "../lib/clock.ts";

/**
 * The database's clock, so that nodes whose clocks differ agree on leases and due times of jobs. Between readings it advances
 * with this machine's monotonic clock, so it also ignores jumps of the wall clock.
 */
type DatabaseClock = Clock & { readonly close: () => void };

const READING_MS = 60_000;
/** A reading that took longer is less exact than the one before. */
const SLOW_MS = 2_000;

type ReadTime = () => Promise<number>;

/** `readTime` is null for a database that uses the clock of this machine. */
export async function followDatabaseClock(clock: Clock, readTime: ReadTime | null): Promise<DatabaseClock> {
  if (!readTime) return { ...clock, close: () => {} };
  let offsetMs: number | undefined;
  const look = async (): Promise<void> => {
    const [askedAt, now, answeredAt] = [clock.monotonic(), await readTime(), clock.monotonic()];
    if (offsetMs === undefined || answeredAt - askedAt < SLOW_MS) offsetMs = now - (askedAt + answeredAt) / 2;
  };
  await look();
  // If the database does not answer, no job runs either.
  const timer = setInterval(() => void look().catch(() => {}), READING_MS).unref();
  return {
    now: () => Math.round((offsetMs ?? 0) + clock.monotonic()),
    monotonic: clock.monotonic,
    close: () => clearInterval(timer),
  };
}
