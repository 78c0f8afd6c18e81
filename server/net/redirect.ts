import type { OutboundResponse, OutboundRequest } from "./exchange.ts";
import { parseUrl } from "./target.ts";

const redirects = new Set([301, 302, 303, 307, 308]);
/**
 * Headers that may be sent to another origin. This is an allow list, because keys are sent in headers with many names.
 */
const harmless = new Set(["accept", "accept-language", "content-type", "user-agent"]);

export const isRedirect = ({ status, headers }: Omit<OutboundResponse, "body">): boolean =>
  redirects.has(status) && headers["location"] !== undefined;

/** The request to make for a redirect, like browsers do; undefined if the response is not a redirect. */
export function findNext(request: OutboundRequest, response: OutboundResponse): OutboundRequest | undefined {
  if (!isRedirect(response)) return undefined;
  const { status, headers } = response;
  const location = headers["location"] ?? "";
  // Headers are decoded as single bytes; servers that do not escape mean UTF-8.
  const url = parseUrl(Buffer.from(location, "latin1").toString("utf8"), request.url);
  const isKept = status === 307 || status === 308 || request.method === "GET";
  const kept = Object.entries(request.headers).filter(
    ([name]) => (url.origin === request.url.origin || harmless.has(name)) && (isKept || name !== "content-type"),
  );
  return {
    url,
    method: isKept ? request.method : "GET",
    headers: Object.fromEntries(kept),
    body: isKept ? request.body : undefined,
  };
}

const SHORT_MS = 5000;

/** Delay before the single retry that the server asked for; undefined: no retry. */
export function findRetryMs(
  method: OutboundRequest["method"],
  { status, headers }: OutboundResponse,
  now: number,
): number | undefined {
  // 503 may follow a POST that took effect; 429 does not.
  if (status !== 429 && !(status === 503 && method === "GET")) return undefined;
  const after = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d{1,6}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
  return ms >= 0 && ms <= SHORT_MS ? ms : undefined;
}
