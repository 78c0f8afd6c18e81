import { Refusal } from "../../../protocol/errors.ts";
import type { Clock } from "../../lib/clock.ts";

const BURST = 120;
const PER_SECOND = 20;

/** For a door without a lock: so many at once, and so many more each second, over all callers, since an address is cheap to change. */
export function createRateLimit(clock: Clock): { readonly assertAllowed: () => void } {
  let room = BURST;
  let at = clock.monotonic();
  return {
    assertAllowed: () => {
      const now = clock.monotonic();
      room = Math.min(BURST, room + ((now - at) / 1000) * PER_SECOND);
      at = now;
      if (room < 1)
        throw new Refusal("busy", "Too many people open shared links at the moment. Try again in a moment.");
      room -= 1;
    },
  };
}
