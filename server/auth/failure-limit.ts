import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { toNetwork } from "../net/client-address.ts";

/** Wrong tokens and passwords per address before it has to wait; each further one doubles the wait. */
const FREE_ATTEMPTS = 10;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** One wrong token is forgotten per interval. */
const FORGET_MS = 6_000;
/** Above this many guesses per minute and address, tokens are no longer compared. */
const MAX_PER_MINUTE = 600;
const MAX_ADDRESSES = 10_000;

type Guesses = { wrong: number; countedAt: number; latest: string; minute: number; inMinute: number };

/**
 * Slows down guessing of tokens and passwords, per address. The right one is accepted regardless of earlier guesses from the same
 * address, unless it sends hundreds per minute. Repeating the same wrong token counts once, so a program with an
 * outdated token does not lock out its address.
 */
export type FailureLimit = {
  /** Call before comparing a token. Throws if the address is blocked. */
  readonly assertAllowed: (address: string) => void;
  /** Call after a wrong token; always throws. `fingerprint` identifies the token, `message` says what to do. */
  readonly rejectAttempt: (address: string, fingerprint: string, message?: string) => never;
};

export function createFailureLimit(clock: Clock): FailureLimit {
  const known = new Map<string, Guesses>();

  const find = (address: string): Guesses => {
    const now = clock.monotonic();
    const key = toNetwork(address);
    const found = known.get(key) ?? { wrong: 0, countedAt: now, latest: "", minute: 0, inMinute: 0 };
    found.wrong = Math.max(0, found.wrong - (now - found.countedAt) / FORGET_MS);
    found.countedAt = now;
    const minute = Math.floor(now / 60_000);
    if (found.minute !== minute) Object.assign(found, { minute, inMinute: 0 });
    known.delete(key);
    known.set(key, found);
    const [oldest] = known.keys();
    if (known.size > MAX_ADDRESSES && oldest !== undefined) known.delete(oldest);
    return found;
  };

  return {
    assertAllowed: (address) => {
      if (find(address).inMinute < MAX_PER_MINUTE) return;
      throw new ApiError(
        "busy",
        "Too many failed sign-ins from your address. Wait a minute and try again.",
        undefined,
        60,
      );
    },
    rejectAttempt: (address, fingerprint, message = "Wrong token. Enter the token of this instance.") => {
      const guesses = find(address);
      guesses.inMinute += 1;
      if (guesses.latest !== fingerprint) guesses.wrong += 1;
      guesses.latest = fingerprint;
      const beyond = Math.floor(guesses.wrong) - FREE_ATTEMPTS;
      if (beyond <= 0) throw new ApiError("unauthenticated", message);
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (beyond - 1));
      const seconds = waitMs === 1000 ? "1 second" : `${waitMs / 1000} seconds`;
      throw new ApiError(
        "busy",
        `Too many failed sign-ins from your address. Wait ${seconds} and try again.`,
        undefined,
        waitMs / 1000,
      );
    },
  };
}
