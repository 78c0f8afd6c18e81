import { createHash } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { toNetwork } from "../net/client-address.ts";

const WINDOW_MS = 3_600_000;
const MAX_PER_ADDRESSEE = 3;
const MAX_PER_NETWORK = 20;
const MAX_KEYS = 10_000;

type Window = { readonly endsAt: number; count: number };

/** Bounds how many mails strangers can cause, per hour: to one address silently, and from one network with an error. */
export function createMailLimit(clock: Pick<Clock, "monotonic">) {
  const windows = new Map<string, Window>();

  const increment = (key: string): number => {
    const now = clock.monotonic();
    const found = windows.get(key);
    const window = found && found.endsAt > now ? found : { endsAt: now + WINDOW_MS, count: 0 };
    window.count += 1;
    windows.delete(key);
    windows.set(key, window);
    const [oldest] = windows.keys();
    if (windows.size > MAX_KEYS && oldest !== undefined) windows.delete(oldest);
    return window.count;
  };

  return {
    /** Counts a mail and returns whether it may be sent. Throws if the network has asked for too many, to any address. */
    countMail: (addressee: string, address: string): boolean => {
      if (increment(`from ${toNetwork(address)}`) > MAX_PER_NETWORK) {
        throw new ApiError(
          "busy",
          "Too many mails were requested from your network. Try again in an hour.",
          undefined,
          3600,
        );
      }
      return increment(`to ${createHash("sha256").update(addressee).digest("base64url")}`) <= MAX_PER_ADDRESSEE;
    },
  };
}
