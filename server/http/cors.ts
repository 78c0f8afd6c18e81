import { readKey } from "../auth/authenticate.ts";
import type { RequestHead } from "./guard.ts";
import { isPreview } from "./handlers/preview-files.ts";

/**
 * Requests by pages of other origins. A listed origin may call the API with an API key and never with cookies: credentials are
 * not allowed in the preflight, which every request with a key needs.
 */
type Cors = {
  /** The request's origin is listed, and it is a preflight or has an API key, valid or not. */
  readonly isAllowed: (head: RequestHead) => boolean;
  readonly isPreflight: (head: RequestHead) => boolean;
  /** Headers of the response; empty unless the origin is listed. Errors have them too, so that the page can read them. */
  readonly headersFor: (head: RequestHead) => Readonly<Record<string, string>>;
};

const METHODS = "GET, POST, PUT, PATCH, DELETE";
/** Response headers that clients read, in addition to those that are always readable. */
const EXPOSED =
  "X-Request-Id, Retry-After, X-Should-Retry, WWW-Authenticate, Content-Disposition, Mcp-Session-Id, X-Vercel-AI-UI-Message-Stream";
/** How long a browser may remember a preflight. Chromium allows at most two hours. */
const MAX_AGE_SECONDS = 7200;

export function createCors(origins: readonly string[]): Cors {
  const isListed = ({ path, header }: RequestHead): boolean =>
    origins.includes(header("origin") ?? "") && !isPreview(path);
  const isPreflight = (head: RequestHead): boolean =>
    isListed(head) && head.method === "OPTIONS" && head.header("access-control-request-method") !== undefined;

  return {
    isAllowed: (head) => isListed(head) && (isPreflight(head) || hasKey(head)),
    isPreflight,
    headersFor: (head) => {
      if (!isListed(head)) return {};
      const shared = { "access-control-allow-origin": head.header("origin") ?? "", vary: "Origin" };
      if (!isPreflight(head)) return { ...shared, "access-control-expose-headers": EXPOSED };
      return {
        ...shared,
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": toHeaderNames(head.header("access-control-request-headers")),
        "access-control-max-age": String(MAX_AGE_SECONDS),
      };
    },
  };
}

const hasKey = ({ header }: RequestHead): boolean =>
  readKey({ authorization: header("authorization"), apiKey: header("x-api-key") }) !== undefined;

/** Clients send various headers, so all requested names are allowed. */
const toHeaderNames = (requested = ""): string =>
  /^[\w, -]{1,2000}$/.test(requested) ? requested : "authorization, content-type";
