import type { Clock } from "../../../lib/clock.ts";

/** Detects a server that sends more messages or bytes per second than this process should spend time on. */
type FloodGuard = { readonly isExceeded: (sizeBytes: number) => boolean };

const WINDOW_MS = 1000;
const MAX_MESSAGES = 5000;
const MAX_BYTES = 64 * 1024 * 1024;

export function createFloodGuard(clock: Clock): FloodGuard {
  let since = clock.monotonic();
  let [messages, bytes] = [0, 0];
  return {
    isExceeded: (sizeBytes) => {
      if (clock.monotonic() - since > WINDOW_MS) [since, messages, bytes] = [clock.monotonic(), 0, 0];
      messages += 1;
      bytes += sizeBytes;
      return messages > MAX_MESSAGES || bytes > MAX_BYTES;
    },
  };
}
