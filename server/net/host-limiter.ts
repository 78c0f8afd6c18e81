import type { Clock } from "../lib/clock.ts";
import { sleep } from "../lib/sleep.ts";
import { untilAborted } from "./deadline.ts";

/** Rate limit per host: few requests at a time, with a minimum gap between them. */
type HostLimiter = {
  /** Waits for a slot; the returned function releases it. */
  readonly acquire: (host: string, signal: AbortSignal) => Promise<() => void>;
  /** No request to this host starts before `ms` have passed. */
  readonly pause: (host: string, ms: number) => void;
};

type Host = { active: number; nextAt: number; readonly waiting: Set<() => void> };

const MAX_HOSTS = 1000;

type HostLimiterOptions = {
  readonly clock: Clock;
  readonly maxConcurrent: number;
  readonly spacingMs: number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

export function createHostLimiter({ clock, maxConcurrent, spacingMs, wait = sleep }: HostLimiterOptions): HostLimiter {
  const hosts = new Map<string, Host>();

  const getHost = (name: string): Host => {
    const known = hosts.get(name);
    if (known) return known;
    if (hosts.size >= MAX_HOSTS) forgetIdle();
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

  const waitForSlot = async (host: Host, signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    host.waiting.add(resolve);
    try {
      await untilAborted(signal, promise);
    } catch (error) {
      // Woken and aborted at the same time: pass the slot on.
      if (!host.waiting.delete(resolve)) wakeNext(host);
      throw error;
    }
  };

  return {
    acquire: async (name, signal) => {
      const host = getHost(name);
      while (host.active >= maxConcurrent) await waitForSlot(host, signal);
      host.active += 1;
      const startAt = Math.max(clock.monotonic(), host.nextAt);
      host.nextAt = startAt + spacingMs;
      const waitMs = startAt - clock.monotonic();
      if (waitMs > 0) await wait(waitMs, signal);
      if (!signal.aborted) return () => end(host);
      end(host);
      throw signal.reason;
    },
    pause: (name, ms) => {
      const host = getHost(name);
      host.nextAt = Math.max(host.nextAt, clock.monotonic() + ms);
    },
  };
}
