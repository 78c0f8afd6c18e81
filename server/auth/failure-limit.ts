import { Refusal } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";

const burst = 10;
const refillMs = 6_000;

/**
 * Slows the guessing of the token: after ten wrong ones, one more every six seconds, counted over all callers together,
 * because an address is cheap to change. While it holds, a right token is not looked at either; sessions go on.
 */
export function createFailureLimit(clock: Clock): { assertAllowed: () => void; count: () => void } {
  let failures = 0;
  let countedAt = clock.monotonic();

  const forget = () => {
    const now = clock.monotonic();
    failures = Math.max(0, failures - (now - countedAt) / refillMs);
    countedAt = now;
  };
  return {
    assertAllowed: () => {
      forget();
      if (failures > burst - 1) {
        throw new Refusal("busy", "Too many wrong tokens were tried. Wait a few seconds and try again.");
      }
    },
    count: () => {
      forget();
      failures += 1;
    },
  };
}
