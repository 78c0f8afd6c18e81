import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { toNetwork } from "../net/client-address.ts";

type Rate = { readonly burst: number; readonly perSecond: number };
type Bucket = { room: number; at: number };

const perAddress: Rate = { burst: 120, perSecond: 20 };
/** For all together: many addresses may be used to make work, but not without bound. */
const overall: Rate = { burst: 2_000, perSecond: 400 };
/** Addresses remembered. Beyond, those are forgotten that were away the longest. */
const MOST_ADDRESSES = 10_000;

/** For links that need no sign-in: so many requests at once, and so many more each second, for each address. */
export function createRateLimit(clock: Clock): { readonly assertAllowed: (address: string) => void } {
  const buckets = new Map<string, Bucket>();
  const all: Bucket = { room: overall.burst, at: clock.monotonic() };

  const hasRoom = (bucket: Bucket, { burst, perSecond }: Rate, now: number): boolean => {
    bucket.room = Math.min(burst, bucket.room + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    return bucket.room >= 1;
  };
  return {
    assertAllowed: (address) => {
      const now = clock.monotonic();
      const network = toNetwork(address);
      const bucket = buckets.get(network) ?? { room: perAddress.burst, at: now };
      buckets.delete(network);
      buckets.set(network, bucket);
      for (const oldest of buckets.keys()) {
        if (buckets.size <= MOST_ADDRESSES) break;
        buckets.delete(oldest);
      }
      if (!hasRoom(bucket, perAddress, now) || !hasRoom(all, overall, now))
        throw new ApiError("busy", "Too many requests for shared links. Try again in a moment.", undefined, 1);
      bucket.room -= 1;
      all.room -= 1;
    },
  };
}
