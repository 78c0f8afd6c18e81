import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { toNetwork } from "../net/client-address.ts";

/** Wrong tokens from one address before it is told to wait; each further one doubles the time. */
const FREE = 10;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Wrong tokens that are forgotten as time passes. */
const FORGET_MS = 6_000;
/** Guesses from one address in a minute beyond which tokens are not even compared. */
const MOST_A_MINUTE = 600;
const MOST_ADDRESSES = 10_000;

type Guesses = { wrong: number; countedAt: number; latest: string; minute: number; inMinute: number };

/**
 * Slows the guessing of the token, for each address by itself. The right token is accepted whatever others have tried, from
 * that address too; only an address that guesses by hundreds a minute is no longer listened to. The same wrong token
 * sent again is no new guess: a program with an old token does not use up its address.
 */
export type FailureLimit = {
  /** Before a token is compared. */
  readonly assertHeard: (address: string) => void;
  /** After a wrong one; throws the refusal to answer with. `fingerprint` tells tokens apart. */
  readonly refuse: (address: string, fingerprint: string) => never;
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
    if (known.size > MOST_ADDRESSES && oldest !== undefined) known.delete(oldest);
    return found;
  };

  return {
    assertHeard: (address) => {
      if (find(address).inMinute < MOST_A_MINUTE) return;
      throw new ApiError(
        "busy",
        "Too many wrong tokens came from your address. Wait a minute and try again.",
        undefined,
        60,
      );
    },
    refuse: (address, fingerprint) => {
      const guesses = find(address);
      guesses.inMinute += 1;
      if (guesses.latest !== fingerprint) guesses.wrong += 1;
      guesses.latest = fingerprint;
      const beyond = Math.floor(guesses.wrong) - FREE;
      if (beyond <= 0) throw new ApiError("unauthenticated", "That is not this instance's token.");
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (beyond - 1));
      const seconds = waitMs === 1000 ? "1 second" : `${waitMs / 1000} seconds`;
      throw new ApiError(
        "busy",
        `That is not this instance's token, and your address has tried many. Wait ${seconds} and try again.`,
        undefined,
        waitMs / 1000,
      );
    },
  };
}
