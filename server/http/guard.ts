import { isIP } from "node:net";
import { ApiError } from "../../protocol/errors.ts";
import { isOpenAiPath } from "../../protocol/surfaces/openai-routes.ts";
import { isSignInReturn } from "./handlers/mcp-sign-in.ts";
import { isOidcReturn } from "./handlers/oidc-routes.ts";
import { isPreview } from "./handlers/preview-files.ts";

/** The parts of a request that the guard checks. */
export type RequestHead = {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  /** From the request line; undefined without a socket. */
  readonly httpVersion?: string | undefined;
  /** Remote address of the connection. */
  readonly socketAddress?: string | undefined;
};

type Options = {
  /** The address the server is bound to. */
  readonly host: string;
  /** The port it listens on. A function, because the system may choose the port. */
  readonly port: () => number;
  /** Further accepted host names: `name` at any port, or `name:port`. */
  readonly hosts: readonly string[];
  /** Without credentials only local requests are accepted, and none that came through a proxy. */
  readonly hasCredentials: boolean;
  /** Whether a page of another origin may send this request: the origin is listed, and it is a preflight or has an API key. */
  readonly isAllowedCors: (head: RequestHead) => boolean;
};

/** Headers that reverse proxies and tunnels add. */
const proxyHeaders = [
  ..."for host proto port server prefix".split(" ").map((name) => `x-forwarded-${name}`),
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip", "x-original-host"],
];

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const wildcards = new Set(["0.0.0.0", "::", "[::]"]);

/**
 * Rejects requests that a page of another site could make a browser send. `Host` must be a configured name, to prevent DNS
 * rebinding. `Origin`, if sent, must be this server's. Other sites may not call the API. A workspace page has the opaque origin `null`:
 * it may load its preview, which has a token in its path, and nothing else. An authorization server may redirect a browser to
 * the callback of an MCP sign-in, which responds with one of our pages, and a provider to the callback of a sign-in to this server. Pages of listed origins may call the API with a key, which
 * a browser never adds automatically.
 */
export function createGuard({
  host,
  port,
  hosts,
  hasCredentials,
  isAllowedCors,
}: Options): (head: RequestHead) => void {
  const isOpen = wildcards.has(host);

  const isOurs = (given: string): boolean => {
    const [, name, givenPort] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(given) ?? [];
    if (name === undefined) return false;
    if (hosts.includes(name) || hosts.includes(given)) return true;
    // Bound to all addresses: any IP address and port may be used. IP addresses are safe from DNS rebinding.
    if (isOpen) return loopbackNames.has(name) || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
    return (loopbackNames.has(name) || name === bracket(host)) && Number(givenPort ?? 80) === port();
  };

  return (head) => {
    const given = head.header("host")?.toLowerCase() ?? "";
    if (!hasCredentials && isProxied(head, given, hosts)) {
      throw new ApiError(
        "forbidden",
        "This request came through a proxy, and this server has no token: anyone behind the proxy would have full access. " +
          "Set STONECHAT_ACCOUNTS=on, or STONECHAT_TOKEN, and restart the server.",
      );
    }
    if (!isOurs(given)) {
      throw new ApiError("misdirected", "This host name is not allowed. Add it to STONECHAT_HOSTS if it is yours.");
    }
    if (isAllowedCors(head)) return;
    const origin = head.header("origin");
    const isOfPreview = origin === "null" && isPreview(head.path);
    if (origin !== undefined && !isOfPreview && !isSameHost(origin, given, hosts)) {
      throw new ApiError(
        "forbidden",
        "Requests from other origins are not allowed, except with an API key from an origin in STONECHAT_CORS_ORIGINS.",
      );
    }
    const site = head.header("sec-fetch-site");
    const isReturn = isSignInReturn(head) || isOidcReturn(head);
    if ((site === "cross-site" || site === "same-site") && isApi(head.path) && !isReturn) {
      throw new ApiError("forbidden", "Requests from other sites are not allowed.");
    }
  };
}

const bracket = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);

/**
 * Signs of a reverse proxy. By default nginx before 1.29.7 sends HTTP/1.0 to upstream servers. A browser that calls a request
 * same-origin has our page open at the address in `Origin`; if `Host` differs, a proxy has replaced it. A proxy that adds no header
 * and replaces `Host`, as newer nginx does by default, sends the requests of other programs exactly as a program on this machine would:
 * those cannot be recognized.
 */
const isProxied = ({ header, httpVersion }: RequestHead, host: string, hosts: readonly string[]): boolean => {
  if (httpVersion === "1.0" || proxyHeaders.some((name) => header(name) !== undefined)) return true;
  const origin = header("origin");
  return header("sec-fetch-site") === "same-origin" && origin !== undefined && !isSameHost(origin, host, hosts);
};

/** Links from other sites may lead to the documentation, but not to the rest of the API. */
const isApi = (path: string): boolean =>
  path === "/metrics" || path === "/mcp" || isOpenAiPath(path) || (path.startsWith("/api/") && path !== "/api/docs");

/** A proxy may have replaced `Host`, so configured names are accepted too. */
function isSameHost(origin: string, host: string, hosts: readonly string[]): boolean {
  const [, scheme, from] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  if (from === undefined) return false;
  const defaultPort = scheme === "https" ? ":443" : ":80";
  return from === host || `${from}${defaultPort}` === host || hosts.includes(from);
}
