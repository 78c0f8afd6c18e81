import type { Clock } from "../lib/clock.ts";
import { untilAborted } from "./deadline.ts";
import { NetError } from "./net-error.ts";
import { isPathAllowed, parseRobots, type RobotsRules } from "./robots-rules.ts";

/** What each origin wants of robots, asked once an hour. */
export type Robots = {
  /** Throws what kept us from asking, or `robots` when the page is not for us. */
  readonly assertAllowed: (url: URL, signal: AbortSignal) => Promise<void>;
};

type Answer = { readonly status: number; readonly text: string };
type Verdict = { readonly rules: RobotsRules | "all-refused"; readonly until: number };
type Question = { readonly verdict: Promise<Verdict>; readonly controller: AbortController; waiting: number };

const KEPT_MS = 60 * 60_000;
const REFUSED_MS = 5 * 60_000;
const MOST_ORIGINS = 200;

export type RobotsOptions = {
  readonly agent: string;
  readonly clock: Clock;
  readonly read: (url: string, signal: AbortSignal) => Promise<Answer>;
};

export function createRobots({ agent, clock, read }: RobotsOptions): Robots {
  const known = new Map<string, Verdict>();
  const asked = new Map<string, Question>();

  const ask = async (origin: string, signal: AbortSignal): Promise<Verdict> => {
    const { status, text } = await read(`${origin}/robots.txt`, signal).catch((error: unknown) => {
      // A robots.txt that leads nowhere is as good as none.
      if (error instanceof NetError && error.code === "too-many-redirects") return { status: 404, text: "" };
      throw error;
    });
    if (status >= 500) return { rules: "all-refused", until: clock.now() + REFUSED_MS };
    return { rules: status < 300 ? parseRobots(text, agent) : [], until: clock.now() + KEPT_MS };
  };

  const remember = (origin: string, verdict: Verdict): void => {
    known.delete(origin);
    known.set(origin, verdict);
    const [oldest = origin] = known.keys();
    if (known.size > MOST_ORIGINS) known.delete(oldest);
  };

  /** Those who ask at the same time share one question; it is dropped when the last of them has gone. */
  const share = async (origin: string, signal: AbortSignal): Promise<Verdict> => {
    const question = asked.get(origin) ?? open(origin);
    question.waiting += 1;
    try {
      return await untilAborted(signal, question.verdict);
    } finally {
      question.waiting -= 1;
      if (question.waiting === 0) {
        question.controller.abort();
        if (asked.get(origin) === question) asked.delete(origin);
      }
    }
  };

  const open = (origin: string): Question => {
    const controller = new AbortController();
    const question = { verdict: ask(origin, controller.signal), controller, waiting: 0 };
    asked.set(origin, question);
    return question;
  };

  return {
    assertAllowed: async (url, signal) => {
      const kept = known.get(url.origin);
      const verdict = kept && kept.until > clock.now() ? kept : await share(url.origin, signal);
      remember(url.origin, verdict);
      const { rules } = verdict;
      if (rules === "all-refused")
        throw new NetError(
          "robots",
          `${url.host} could not say what robots may read, so nothing is read there for now.`,
        );
      if (!isPathAllowed(rules, url)) throw new NetError("robots", `${url.host} asks robots not to read this page.`);
    },
  };
}
