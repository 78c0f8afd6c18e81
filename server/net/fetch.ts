import type { Clock } from "../lib/clock.ts";
import { createAllowList } from "./allow-list.ts";
import { connect, toConnectOptions, type Dial } from "./connect.ts";
import { openDeadline, untilAborted, type Deadline } from "./deadline.ts";
import { exchange, type OutboundResponse, type OutboundRequest } from "./exchange.ts";
import { NetError } from "./net-error.ts";
import type { BodyLimits } from "./read-body.ts";
import { findNext, findRetryMs, isRedirect } from "./redirect.ts";
import { createRobots } from "./robots.ts";
import { locate, parseUrl, systemResolve, type Resolve, type Target } from "./target.ts";
import { createHostLimiter } from "./host-limiter.ts";

export { NetError, type NetErrorCode } from "./net-error.ts";
export { decodeDocument } from "./to-text.ts";
export type { Dial, Endpoint } from "./connect.ts";

/**
 * The only outbound HTTP client. Returns the response for any status; throws `NetError` if there is no usable response.
 * It never connects to an unchecked address, and never reads more than its limit.
 */
export type Fetch = (url: string, init?: FetchInit) => Promise<FetchResponse>;

export type FetchInit = {
  readonly method?: "GET" | "POST";
  /** Names in any case. On a redirect to another origin, only harmless headers are sent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Limit of the whole request: waiting for a slot, robots.txt, redirects, the body. */
  readonly timeoutMs?: number;
  /** Limit of the decoded body. */
  readonly maxBytes?: number;
  /** Check robots.txt first; for pages read on behalf of the user. */
  readonly robots?: boolean;
  /**
   * A request to a search engine, which has a separate list of allowed private addresses. Default: the list for pages.
   */
  readonly feature?: "search";
};

export type FetchResponse = {
  readonly status: number;
  /** The final URL, after redirects. */
  readonly url: string;
  /** URLs before the final one, starting with the requested one; empty without a redirect. */
  readonly redirects: readonly string[];
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** In lower case, without parameters; empty if missing. */
  readonly type: string;
  /** Charset named in the header, in lower case. */
  readonly charset: string | null;
  readonly body: Uint8Array;
};

export type FetchOptions = {
  readonly userAgent: string;
  readonly clock: Clock;
  /** Returns all addresses of a name. */
  readonly resolve?: Resolve;
  /** Opens a TCP connection to a checked address or to the proxy. */
  readonly dial?: Dial;
  /** Allowed private targets: `name`, `name:port`, an address, `address:port` or a CIDR. */
  readonly allowPrivate?: readonly string[];
  /** The same for requests to search engines. */
  readonly allowPrivateSearch?: readonly string[];
  /** The operator's proxy: `http://[user:password@]host:port`. It gets checked addresses, never names. */
  readonly proxy?: string | null;
  /** Additional trusted certificates, as PEM. */
  readonly ca?: string;
  readonly connectMs?: number;
  /** Maximum silence of the server during a call. */
  readonly idleMs?: number;
  /** Minimum time between the starts of two requests to a host. */
  readonly spacingMs?: number;
};

const MAX_REDIRECTS = 5;
const MAX_PER_HOST = 2;
const ROBOTS_BYTES = 512 * 1024;
const ROBOTS_MS = 10_000;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Headers that belong to the connection; the caller cannot set them. */
export const connectionHeaders =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|transfer-encoding|content-length|accept-encoding|user-agent|proxy-.*)$/;

export function createFetch(options: FetchOptions): Fetch {
  const { userAgent, clock, resolve = systemResolve } = options;
  const allowedPages = createAllowList(options.allowPrivate ?? []);
  const allowedSearch = createAllowList(options.allowPrivateSearch ?? []);
  const limiter = createHostLimiter({ clock, maxConcurrent: MAX_PER_HOST, spacingMs: options.spacingMs ?? 100 });
  const connectOptions = toConnectOptions(options, options.idleMs ?? 10_000);

  const requestOnce = async (
    request: OutboundRequest,
    target: Target,
    limits: BodyLimits,
    deadline: Deadline,
  ): Promise<OutboundResponse> => {
    const release = await limiter.acquire(request.url.host, deadline.signal);
    try {
      const connection = await connect(target, connectOptions, deadline);
      return await exchange(
        connection,
        request,
        { ...limits, isWanted: (response) => !isRedirect(response) },
        deadline,
      );
    } finally {
      release();
    }
  };

  const requestWithRetry = async (
    request: OutboundRequest,
    limits: FetchCall,
    deadline: Deadline,
  ): Promise<OutboundResponse> => {
    const allowed = limits.feature === "search" ? allowedSearch : allowedPages;
    const target = await untilAborted(deadline.signal, locate(request.url, allowed, resolve));
    const response = await requestOnce(request, target, limits, deadline);
    const waitMs = findRetryMs(request.method, response, clock.now());
    if (waitMs === undefined || waitMs >= deadline.remainingMs()) return response;
    limiter.pause(request.url.host, waitMs);
    return requestOnce(request, target, limits, deadline);
  };

  const follow = async (first: OutboundRequest, call: FetchCall, deadline: Deadline): Promise<FetchResponse> => {
    const redirects: string[] = [];
    let request = first;
    for (;;) {
      if (call.robots) await robots.assertAllowed(request.url, deadline.signal);
      const response = await requestWithRetry(request, call, deadline);
      const next = findNext(request, response);
      if (next === undefined) return toFetchResponse(request, response, redirects);
      if (redirects.length === MAX_REDIRECTS)
        throw new NetError("too-many-redirects", `${first.url.host} redirects too many times.`);
      redirects.push(request.url.href);
      request = next;
    }
  };

  const run = async (first: OutboundRequest, call: FetchCall, signal?: AbortSignal): Promise<FetchResponse> => {
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
      const request: OutboundRequest = {
        url: parseUrl(url),
        method: "GET",
        headers: { "user-agent": userAgent },
        body: undefined,
      };
      const call = { timeoutMs: ROBOTS_MS, maxBytes: ROBOTS_BYTES, truncate: true, robots: false };
      const { status, body } = await run(request, call, signal);
      return { status, text: new TextDecoder().decode(body) };
    },
  });

  return async (url, init = {}) => {
    const { method = "GET", timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, robots: checkRobots = false } = init;
    const given = Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
    const headers = Object.fromEntries([["accept", "*/*"], ...given.filter(([name]) => !connectionHeaders.test(name))]);
    const request: OutboundRequest = {
      url: parseUrl(url),
      method,
      headers: { ...headers, "user-agent": userAgent },
      body: init.body,
    };
    const feature = init.feature === undefined ? {} : { feature: init.feature };
    return run(request, { timeoutMs, maxBytes, truncate: false, robots: checkRobots, ...feature }, init.signal);
  };
}

type FetchCall = BodyLimits & {
  readonly timeoutMs: number;
  readonly robots: boolean;
  readonly feature?: FetchInit["feature"];
};

function toFetchResponse(
  { url }: OutboundRequest,
  { status, headers, body }: OutboundResponse,
  redirects: readonly string[],
): FetchResponse {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.map((one) => /^\s*charset\s*=\s*["']?([^\s"']+)/.exec(one)?.[1]).find(Boolean) ?? null;
  return { status, url: url.href, redirects, headers, type: type.trim(), charset, body };
}
