import { lookup } from "node:dns/promises";
import type { Clock } from "../lib/clock.ts";
import { createAllowList } from "./allow-list.ts";
import { connect, dialTcp, type Dial, type Way } from "./connect.ts";
import { openDeadline, untilAborted, type Deadline } from "./deadline.ts";
import { exchange, type Exchange, type Ask } from "./exchange.ts";
import { NetError } from "./net-error.ts";
import type { BodyLimits } from "./read-body.ts";
import { findNext, findRetryMs, isRedirect } from "./redirect.ts";
import { createRobots } from "./robots.ts";
import { locate, parseUrl, type Resolve, type Target } from "./target.ts";
import { createTurns } from "./turns.ts";

export { NetError, type NetErrorCode } from "./net-error.ts";
export { toText } from "./to-text.ts";
export type { Dial, Endpoint } from "./connect.ts";

/**
 * The only way out of the house. A URL in, what the other side answered out, whatever its status; a `NetError` when there
 * is no answer that can be used. It never connects to an address that was not checked, and never reads more than it was told.
 */
export type Fetch = (url: string, init?: FetchInit) => Promise<Fetched>;

export type FetchInit = {
  readonly method?: "GET" | "POST";
  /** Names in any case. Across origins only the harmless ones are sent on. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** For everything together: waiting for a turn, robots.txt, redirects, the body. */
  readonly timeoutMs?: number;
  /** Of the body, after decoding. */
  readonly maxBytes?: number;
  /** Ask robots.txt first; for pages read on a person's behalf. */
  readonly robots?: boolean;
  /** A request to a search engine of the operator's, which has private addresses of its own. Otherwise those for pages hold. */
  readonly feature?: "search";
};

export type Fetched = {
  readonly status: number;
  /** The last one, after redirects. */
  readonly url: string;
  /** The URLs on the way, the asked one first; empty without a redirect. */
  readonly redirects: readonly string[];
  /** Names in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** In lower case, without parameters; empty when none was given. */
  readonly type: string;
  /** As the header names it, in lower case. */
  readonly charset: string | null;
  readonly body: Uint8Array;
};

export type FetchOptions = {
  readonly userAgent: string;
  readonly clock: Clock;
  /** All addresses of a name. */
  readonly resolve?: Resolve;
  /** Opens a TCP connection to an address that was checked, or to the proxy. */
  readonly dial?: Dial;
  /** The operator's exceptions: `name`, `name:port`, an address, `address:port` or a CIDR. */
  readonly allowPrivate?: readonly string[];
  /** The same for requests to search engines. */
  readonly allowPrivateSearch?: readonly string[];
  /** `http://[user:password@]host:port` of the operator. It is given addresses that were checked, never names. */
  readonly proxy?: string | null;
  /** Further certificates to trust, as PEM. */
  readonly ca?: string;
  readonly connectMs?: number;
  /** Silence of the other side that ends a call. */
  readonly idleMs?: number;
  /** Between the starts of two requests to one host. */
  readonly spacingMs?: number;
};

const MOST_REDIRECTS = 5;
const AT_ONCE_PER_HOST = 2;
const ROBOTS_BYTES = 512 * 1024;
const ROBOTS_MS = 10_000;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Of the connection, not of the request: never the caller's. */
const ours =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|transfer-encoding|content-length|accept-encoding|user-agent|proxy-.*)$/;

export function createFetch(options: FetchOptions): Fetch {
  const { userAgent, clock, resolve = resolveName } = options;
  const allowedPages = createAllowList(options.allowPrivate ?? []);
  const allowedSearch = createAllowList(options.allowPrivateSearch ?? []);
  const turns = createTurns({ clock, atOnce: AT_ONCE_PER_HOST, spacingMs: options.spacingMs ?? 100 });
  const way: Way = {
    dial: options.dial ?? dialTcp,
    resolve,
    proxy: options.proxy ? new URL(options.proxy) : null,
    ca: options.ca,
    connectMs: options.connectMs ?? 5000,
    idleMs: options.idleMs ?? 10_000,
  };

  const askOnce = async (ask: Ask, target: Target, limits: BodyLimits, deadline: Deadline): Promise<Exchange> => {
    const endTurn = await turns.take(ask.url.host, deadline.signal);
    try {
      const connection = await connect(target, way, deadline);
      return await exchange(connection, ask, { ...limits, isWanted: (answer) => !isRedirect(answer) }, deadline);
    } finally {
      endTurn();
    }
  };

  const askPolitely = async (ask: Ask, limits: Call, deadline: Deadline): Promise<Exchange> => {
    const allowed = limits.feature === "search" ? allowedSearch : allowedPages;
    const target = await untilAborted(deadline.signal, locate(ask.url, allowed, resolve));
    const answer = await askOnce(ask, target, limits, deadline);
    const waitMs = findRetryMs(ask.method, answer, clock.now());
    if (waitMs === undefined || waitMs >= deadline.remainingMs()) return answer;
    turns.rest(ask.url.host, waitMs);
    return askOnce(ask, target, limits, deadline);
  };

  const follow = async (first: Ask, call: Call, deadline: Deadline): Promise<Fetched> => {
    const redirects: string[] = [];
    let ask = first;
    for (;;) {
      if (call.robots) await robots.assertAllowed(ask.url, deadline.signal);
      const answer = await askPolitely(ask, call, deadline);
      const next = findNext(ask, answer);
      if (next === undefined) return toFetched(ask, answer, redirects);
      if (redirects.length === MOST_REDIRECTS)
        throw new NetError("too-many-redirects", `${first.url.host} sends from one address to the next without end.`);
      redirects.push(ask.url.href);
      ask = next;
    }
  };

  const run = async (first: Ask, call: Call, signal?: AbortSignal): Promise<Fetched> => {
    const deadline = openDeadline(clock, call.timeoutMs, signal);
    try {
      deadline.signal.throwIfAborted();
      return await follow(first, call, deadline);
    } catch (error) {
      deadline.signal.throwIfAborted();
      throw error;
    } finally {
      deadline.close();
    }
  };

  const robots = createRobots({
    agent: userAgent.split("/")[0] ?? userAgent,
    clock,
    read: async (url, signal) => {
      const ask: Ask = { url: parseUrl(url), method: "GET", headers: { "user-agent": userAgent }, body: undefined };
      const call = { timeoutMs: ROBOTS_MS, maxBytes: ROBOTS_BYTES, isCut: true, robots: false };
      const { status, body } = await run(ask, call, signal);
      return { status, text: new TextDecoder().decode(body) };
    },
  });

  return async (url, init = {}) => {
    const { method = "GET", timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, robots: isAsked = false } = init;
    const given = Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
    const headers = Object.fromEntries([["accept", "*/*"], ...given.filter(([name]) => !ours.test(name))]);
    const ask: Ask = { url: parseUrl(url), method, headers: { ...headers, "user-agent": userAgent }, body: init.body };
    const feature = init.feature === undefined ? {} : { feature: init.feature };
    return run(ask, { timeoutMs, maxBytes, isCut: false, robots: isAsked, ...feature }, init.signal);
  };
}

type Call = BodyLimits & {
  readonly timeoutMs: number;
  readonly robots: boolean;
  readonly feature?: FetchInit["feature"];
};

/** As the operating system does, hosts file included. */
const resolveName: Resolve = async (name) =>
  (await lookup(name, { all: true, order: "verbatim" })).map(({ address }) => address);

function toFetched({ url }: Ask, { status, headers, body }: Exchange, redirects: readonly string[]): Fetched {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.map((one) => /^\s*charset\s*=\s*["']?([^\s"']+)/.exec(one)?.[1]).find(Boolean) ?? null;
  return { status, url: url.href, redirects, headers, type: type.trim(), charset, body };
}
