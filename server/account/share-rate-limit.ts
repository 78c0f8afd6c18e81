import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { toNetwork } from "../net/client-address.ts";

type Rate = { readonly burst: number; readonly perSecond: number };
type Bucket = { tokens: number; at: number };

const perAddress: Rate = { burst: 120, perSecond: 20 };
/** Over all addresses, to bound the load from many of them. */
const overall: Rate = { burst: 2_000, perSecond: 400 };
/** The least recently used addresses beyond this number are forgotten. */
const MOST_ADDRESSES = 10_000;

/** Token bucket per address, for links that need no sign-in. */
export function createRateLimit(clock: Clock): { readonly assertAllowed: (address: string) => void } {
  const buckets = new Map<string, Bucket>();
  const all: Bucket = { tokens: overall.burst, at: clock.monotonic() };

  const hasToken = (bucket: Bucket, { burst, perSecond }: Rate, now: number): boolean => {
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    return bucket.tokens >= 1;
  };
  return {
    assertAllowed: (address) => {
      const now = clock.monotonic();
      const network = toNetwork(address);
      const bucket = buckets.get(network) ?? { tokens: perAddress.burst, at: now };
      buckets.delete(network);
      buckets.set(network, bucket);
      for (const oldest of buckets.keys()) {
        if (buckets.size <= MOST_ADDRESSES) break;
        buckets.delete(oldest);
      }
      if (!hasToken(bucket, perAddress, now) || !hasToken(all, overall, now))
        throw new ApiError("busy", "Too many requests for shared links. Try again in a moment.", undefined, 1);
      bucket.tokens -= 1;
      all.tokens -= 1;
    },
  };
}
