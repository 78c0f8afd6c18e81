import type { Clock } from "../lib/clock.ts";
import { untilAborted } from "./deadline.ts";
import { NetError } from "./net-error.ts";
import { isPathAllowed, parseRobots, type RobotsRules } from "./robots-rules.ts";

/** The robots.txt rules of each origin, fetched once an hour. */
type Robots = {
  /** Throws `robots` if the page is disallowed, or the error of fetching robots.txt. */
  readonly assertAllowed: (url: URL, signal: AbortSignal) => Promise<void>;
};

type RobotsResponse = { readonly status: number; readonly text: string };
type Verdict = { readonly rules: RobotsRules | "all-refused"; readonly until: number };
type PendingFetch = { readonly verdict: Promise<Verdict>; readonly controller: AbortController; waiting: number };

const CACHE_MS = 60 * 60_000;
const RETRY_MS = 5 * 60_000;
const MAX_ORIGINS = 200;

type RobotsOptions = {
  readonly agent: string;
  readonly clock: Clock;
  readonly read: (url: string, signal: AbortSignal) => Promise<RobotsResponse>;
};

export function createRobots({ agent, clock, read }: RobotsOptions): Robots {
  const known = new Map<string, Verdict>();
  const pending = new Map<string, PendingFetch>();

  const fetchRules = async (origin: string, signal: AbortSignal): Promise<Verdict> => {
    const { status, text } = await read(`${origin}/robots.txt`, signal).catch((error: unknown) => {
      // Endless redirects count as no robots.txt.
      if (error instanceof NetError && error.code === "too-many-redirects") return { status: 404, text: "" };
      throw error;
    });
    if (status >= 500) return { rules: "all-refused", until: clock.now() + RETRY_MS };
    return { rules: status < 300 ? parseRobots(text, agent) : [], until: clock.now() + CACHE_MS };
  };

  const remember = (origin: string, verdict: Verdict): void => {
    known.delete(origin);
    known.set(origin, verdict);
    const [oldest = origin] = known.keys();
    if (known.size > MAX_ORIGINS) known.delete(oldest);
  };

  /** Concurrent callers share one request; it is aborted when the last of them leaves. */
  const share = async (origin: string, signal: AbortSignal): Promise<Verdict> => {
    const fetching = pending.get(origin) ?? open(origin);
    fetching.waiting += 1;
    try {
      return await untilAborted(signal, fetching.verdict);
    } finally {
      fetching.waiting -= 1;
      if (fetching.waiting === 0) {
        fetching.controller.abort();
        if (pending.get(origin) === fetching) pending.delete(origin);
      }
    }
  };

  const open = (origin: string): PendingFetch => {
    const controller = new AbortController();
    const fetching = { verdict: fetchRules(origin, controller.signal), controller, waiting: 0 };
    pending.set(origin, fetching);
    return fetching;
  };

  return {
    assertAllowed: async (url, signal) => {
      const cached = known.get(url.origin);
      const verdict = cached && cached.until > clock.now() ? cached : await share(url.origin, signal);
      remember(url.origin, verdict);
      const { rules } = verdict;
      if (rules === "all-refused")
        throw new NetError(
          "robots",
          `The robots.txt of ${url.host} is unavailable, so its pages are not read for now.`,
        );
      if (!isPathAllowed(rules, url))
        throw new NetError("robots", `The robots.txt of ${url.host} disallows reading this page.`);
    },
  };
}
