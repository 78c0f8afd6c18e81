import type { Clock } from "./clock.ts";

export type Rate = { readonly burst: number; readonly perSecond: number };
type Bucket = { tokens: number; at: number };

/** Token buckets by key. The least recently used keys beyond `most` are forgotten. */
export function createTokenBuckets(clock: Pick<Clock, "monotonic">, { burst, perSecond }: Rate, most: number) {
  const buckets = new Map<string, Bucket>();

  const fill = (key: string): Bucket => {
    const now = clock.monotonic();
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now };
    const bucket = { tokens: Math.min(burst, tokens + ((now - at) / 1000) * perSecond), at: now };
    buckets.delete(key);
    buckets.set(key, bucket);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= most) break;
      buckets.delete(oldest);
    }
    return bucket;
  };

  return {
    /** Seconds until a token is there; 0: there is one. */
    waitSeconds: (key: string): number => Math.max(0, Math.ceil((1 - fill(key).tokens) / perSecond)),
    take: (key: string): void => {
      fill(key).tokens -= 1;
    },
  };
}
