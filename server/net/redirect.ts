import type { Exchange, Ask } from "./exchange.ts";
import { parseUrl } from "./target.ts";

const redirects = new Set([301, 302, 303, 307, 308]);
/** What may follow to another origin; keys travel in headers of many names, so the harmless ones are listed. */
const harmless = new Set(["accept", "accept-language", "content-type", "user-agent"]);

export const isRedirect = ({ status, headers }: Omit<Exchange, "body">): boolean =>
  redirects.has(status) && headers["location"] !== undefined;

/** The request that a redirect asks for, as browsers make it; undefined when the answer is the answer. */
export function findNext(ask: Ask, answer: Exchange): Ask | undefined {
  if (!isRedirect(answer)) return undefined;
  const { status, headers } = answer;
  const location = headers["location"] ?? "";
  // Headers are read as single bytes; a server that does not escape means UTF-8.
  const url = parseUrl(Buffer.from(location, "latin1").toString("utf8"), ask.url);
  const isKept = status === 307 || status === 308 || ask.method === "GET";
  const kept = Object.entries(ask.headers).filter(
    ([name]) => (url.origin === ask.url.origin || harmless.has(name)) && (isKept || name !== "content-type"),
  );
  return {
    url,
    method: isKept ? ask.method : "GET",
    headers: Object.fromEntries(kept),
    body: isKept ? ask.body : undefined,
  };
}

const SHORT_MS = 5000;

/** How long to wait before the one more try that was asked for; undefined when there is to be none. */
export function findRetryMs(method: Ask["method"], { status, headers }: Exchange, now: number): number | undefined {
  // 503 may come after a POST took effect; 429 comes before.
  if (status !== 429 && !(status === 503 && method === "GET")) return undefined;
  const after = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d{1,6}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
  return ms >= 0 && ms <= SHORT_MS ? ms : undefined;
}
