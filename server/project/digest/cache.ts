import type { Clock } from "../../lib/clock.ts";

type Entry<T> = { readonly seq: number; readonly at: number; readonly value: T };

/**
 * What was read of projects, for two minutes, so that a burst of calls reads it once. Every use says which seq the project has
 * now: anything written since, by anyone on any node, has another, and what is held is read again.
 */
export function createCache<T>({ clock, livesMs, most }: { clock: Clock; livesMs: number; most: number }) {
  const entries = new Map<string, Entry<T>>();
  return {
    /** `load` is given what was held, whose parts may still be true, and the seq that it was true of. */
    get: async (key: string, seq: number, load: (held: Entry<T> | undefined) => Promise<T>): Promise<T> => {
      const now = clock.now();
      const held = entries.get(key);
      const isYoung = held !== undefined && now - held.at < livesMs && held.at <= now;
      if (isYoung && held.seq === seq) return held.value;
      const value = await load(isYoung && held.seq < seq ? held : undefined);
      entries.delete(key);
      entries.set(key, { seq, at: now, value });
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break;
        entries.delete(oldest);
      }
      return value;
    },
    /** Whatever is held, however old. */
    peek: (key: string): T | undefined => entries.get(key)?.value,
  };
}
