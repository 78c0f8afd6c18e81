import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { createTokenBuckets } from "../lib/token-buckets.ts";
import { toNetwork } from "../net/client-address.ts";

type Options = {
  readonly clock: Pick<Clock, "monotonic">;
  /** Requests per minute that each user may make: those that change something or call a model. */
  readonly perMinute: number;
};

/** Several users may share a network. */
const USERS_PER_NETWORK = 4;
/** Reading is cheap, and an open page does it often. */
const READS = 10;
const MOST = 10_000;

/**
 * Limits the requests of each user and of each network, on every route, stream and upload, by any credential. A minute's requests may
 * come at once. Counted on each node.
 */
export type RequestRates = ReturnType<typeof createRequestRates>;

export function createRequestRates({ clock, perMinute }: Options) {
  const toBuckets = (each: number) => createTokenBuckets(clock, { burst: each, perSecond: each / 60 }, MOST);
  const toPair = (each: number) => ({ users: toBuckets(each), networks: toBuckets(each * USERS_PER_NETWORK) });
  const [changes, reads] = [toPair(perMinute), toPair(perMinute * READS)];

  return {
    /** Counts the request, or throws. */
    assertAllowed: (userId: string, address: string, isRead: boolean): void => {
      const { users, networks } = isRead ? reads : changes;
      const network = toNetwork(address);
      const [byUser, byNetwork] = [users.waitSeconds(userId), networks.waitSeconds(network)];
      const seconds = Math.max(byUser, byNetwork);
      if (seconds > 0) {
        const whose = byUser > 0 ? "from your account" : "from your network";
        const text = `Too many requests ${whose}. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
        throw new ApiError("busy", text, undefined, seconds);
      }
      users.take(userId);
      networks.take(network);
    },
  };
}
