import type { Clock } from "../lib/clock.ts";
import { sleep } from "../lib/sleep.ts";
import { untilAborted } from "./deadline.ts";

/** Politeness: few requests at once to one host, and a little time between two of them. */
export type Turns = {
  /** Waits for a turn; the function it gives ends the turn. */
  readonly take: (host: string, signal: AbortSignal) => Promise<() => void>;
  /** Nobody asks this host again before `ms` have passed. */
  readonly rest: (host: string, ms: number) => void;
};

type Host = { active: number; nextAt: number; readonly waiting: Set<() => void> };

const MOST_HOSTS = 1000;

export type TurnOptions = {
  readonly clock: Clock;
  readonly atOnce: number;
  readonly spacingMs: number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

export function createTurns({ clock, atOnce, spacingMs, wait = sleep }: TurnOptions): Turns {
  const hosts = new Map<string, Host>();

  const getHost = (name: string): Host => {
    const known = hosts.get(name);
    if (known) return known;
    if (hosts.size >= MOST_HOSTS) forgetIdle();
    const host: Host = { active: 0, nextAt: 0, waiting: new Set() };
    hosts.set(name, host);
    return host;
  };

  const forgetIdle = (): void => {
    for (const [name, { active, nextAt, waiting }] of hosts)
      if (active + waiting.size === 0 && nextAt <= clock.monotonic()) hosts.delete(name);
  };

  const wakeNext = ({ waiting }: Host): void => {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next();
  };

  const end = (host: Host): void => {
    host.active -= 1;
    wakeNext(host);
  };

  const waitForPlace = async (host: Host, signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    host.waiting.add(resolve);
    try {
      await untilAborted(signal, promise);
    } catch (error) {
      // Woken and stopped at once: the place is for the next one.
      if (!host.waiting.delete(resolve)) wakeNext(host);
      throw error;
    }
  };

  return {
    take: async (name, signal) => {
      const host = getHost(name);
      while (host.active >= atOnce) await waitForPlace(host, signal);
      host.active += 1;
      const startAt = Math.max(clock.monotonic(), host.nextAt);
      host.nextAt = startAt + spacingMs;
      const aheadMs = startAt - clock.monotonic();
      if (aheadMs > 0) await wait(aheadMs, signal);
      if (!signal.aborted) return () => end(host);
      end(host);
      throw signal.reason;
    },
    rest: (name, ms) => {
      const host = getHost(name);
      host.nextAt = Math.max(host.nextAt, clock.monotonic() + ms);
    },
  };
}
