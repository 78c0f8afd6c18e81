import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";

const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 1_000;
/** By default, the longest wait and how long it takes until one failure is forgotten. */
const USUAL = { maxWaitMs: 30_000, forgetMs: 60_000 } as const;
const MAX_ACCOUNTS = 10_000;
const MAX_NETWORKS = 1_000;

type Failures = { count: number; countedAt: number; readonly lastOf: Map<string, number> };

/**
 * Slows down guessing the password of one account from many networks. After some failures, each network must wait after its own
 * failure, by default at most 30 seconds, and longer the more failures there were from all networks. A network without a failure never waits, so a
 * stranger cannot lock out the owner. Unknown addresses are treated the same, so it does not show which accounts exist.
 */
export type AccountThrottle = {
  /** Time that this network must wait before it may try again; 0: none. */
  readonly waitOf: (email: string, network: string) => number;
  readonly recordFailure: (email: string, network: string) => void;
};

export function createAccountThrottle(
  clock: Pick<Clock, "monotonic">,
  { maxWaitMs, forgetMs }: { readonly maxWaitMs: number; readonly forgetMs: number } = USUAL,
): AccountThrottle {
  const known = new Map<string, Failures>();

  const find = (email: string): Failures => {
    const key = createHash("sha256").update(email).digest("base64url");
    const now = clock.monotonic();
    const found = known.get(key) ?? { count: 0, countedAt: now, lastOf: new Map() };
    found.count = Math.max(0, found.count - (now - found.countedAt) / forgetMs);
    found.countedAt = now;
    putLast(known, key, found, MAX_ACCOUNTS);
    return found;
  };

  return {
    waitOf: (email, network) => {
      const { count, lastOf } = find(email);
      const last = lastOf.get(network);
      const beyond = Math.floor(count) - FREE_FAILURES;
      if (last === undefined || beyond < 0) return 0;
      const waitMs = Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** Math.min(beyond, 10));
      return Math.max(0, last + waitMs - clock.monotonic());
    },
    recordFailure: (email, network) => {
      const failures = find(email);
      failures.count += 1;
      putLast(failures.lastOf, network, clock.monotonic(), MAX_NETWORKS);
    },
  };
}

/** Puts an entry at the end of a map, and removes the oldest one above `max`. */
function putLast<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
