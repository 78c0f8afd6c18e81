import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { createTokenBuckets, type Rate } from "../lib/token-buckets.ts";
import { toNetwork } from "../net/client-address.ts";

const perAddress: Rate = { burst: 120, perSecond: 20 };
/** Over all addresses, to bound the load from many of them. */
const overall: Rate = { burst: 2_000, perSecond: 400 };
const MOST_ADDRESSES = 10_000;
const ALL = "";

/** Limits requests for links that need no sign-in, by address. */
export function createRateLimit(clock: Clock): { readonly assertAllowed: (address: string) => void } {
  const byNetwork = createTokenBuckets(clock, perAddress, MOST_ADDRESSES);
  const all = createTokenBuckets(clock, overall, 1);
  return {
    assertAllowed: (address) => {
      const network = toNetwork(address);
      if (byNetwork.waitSeconds(network) > 0 || all.waitSeconds(ALL) > 0)
        throw new ApiError("busy", "Too many requests for shared links. Try again in a moment.", undefined, 1);
      byNetwork.take(network);
      all.take(ALL);
    },
  };
}
