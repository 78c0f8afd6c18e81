import type { Clock } from "../../../lib/clock.ts";

/** Says when more comes than anybody could mean: reading it would take the process away from everybody else. */
export type Flood = { readonly isOver: (sizeBytes: number) => boolean };

const WINDOW_MS = 1000;
const MAX_MESSAGES = 5000;
const MAX_BYTES = 64 * 1024 * 1024;

export function createFlood(clock: Clock): Flood {
  let since = clock.monotonic();
  let [messages, bytes] = [0, 0];
  return {
    isOver: (sizeBytes) => {
      if (clock.monotonic() - since > WINDOW_MS) [since, messages, bytes] = [clock.monotonic(), 0, 0];
      messages += 1;
      bytes += sizeBytes;
      return messages > MAX_MESSAGES || bytes > MAX_BYTES;
    },
  };
}
