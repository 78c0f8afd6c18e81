import { isIP } from "node:net";
import { ApiError } from "../../protocol/errors.ts";
import { isSignInReturn } from "./handlers/mcp-sign-in.ts";
import { isPreview } from "./handlers/preview-files.ts";

/** What the guard looks at, whichever way the request came in. */
export type Head = {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  /** As in the request line; undefined where there is no socket. */
  readonly httpVersion?: string | undefined;
  /** Of the other end of the connection. */
  readonly socketAddress?: string | undefined;
};

type Options = {
  /** The address the server is bound to. */
  readonly host: string;
  /** The port it listens on; asked at each request, because it may be chosen by the system. */
  readonly port: () => number;
  /** Further names it answers to: `name` at any port, or `name:port`. */
  readonly hosts: readonly string[];
  /** Without credentials only programs on this machine are answered, and nobody who comes through a proxy. */
  readonly hasCredentials: boolean;
};

/** Headers that reverse proxies and tunnels add. */
const proxyHeaders = [
  ..."for host proto port server prefix".split(" ").map((name) => `x-forwarded-${name}`),
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip", "x-original-host"],
];

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const wildcards = new Set(["0.0.0.0", "::", "[::]"]);

/**
 * Refuses what a foreign page could make a browser send. `Host` must be a name of ours, or a page on a name that was rebound
 * to this address could read everything; `Origin`, when sent, must be ours; and no other site may call the API. A page of a
 * workspace runs in an origin that is none: it may ask for its preview, which has a token in its address, and for nothing else.
 * An authorization server may send a browser back to the callback of an MCP sign-in, which answers with a page of ours.
 */
export function createGuard({ host, port, hosts, hasCredentials }: Options): (head: Head) => void {
  const isOpen = wildcards.has(host);

  const isOurs = (given: string): boolean => {
    const [, name, givenPort] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(given) ?? [];
    if (name === undefined) return false;
    if (hosts.includes(name) || hosts.includes(given)) return true;
    // Bound to every address, it is reached by addresses and ports not known here; an address cannot be rebound.
    if (isOpen) return loopbackNames.has(name) || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
    return (loopbackNames.has(name) || name === bracket(host)) && Number(givenPort ?? 80) === port();
  };

  return (head) => {
    if (!hasCredentials && isProxied(head)) {
      throw new ApiError(
        "forbidden",
        "This request came through a proxy, and this server has no token: everybody behind the proxy would have full access. " +
          "Set STONECHAT_TOKEN and restart the server.",
      );
    }
    const given = head.header("host")?.toLowerCase() ?? "";
    if (!isOurs(given)) {
      throw new ApiError(
        "misdirected",
        "This server does not answer to that name. Add it to STONECHAT_HOSTS if it is yours.",
      );
    }
    const origin = head.header("origin");
    const isOfPreview = origin === "null" && isPreview(head.path);
    if (origin !== undefined && !isOfPreview && !isSameHost(origin, given, hosts)) {
      throw new ApiError("forbidden", "Requests from pages of another origin are refused.");
    }
    const site = head.header("sec-fetch-site");
    if ((site === "cross-site" || site === "same-site") && isApi(head.path) && !isSignInReturn(head)) {
      throw new ApiError("forbidden", "Requests from pages of another site are refused.");
    }
  };
}

const bracket = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);

/** nginx speaks HTTP/1.0 to the servers behind it unless told otherwise, and adds no headers of its own. */
const isProxied = ({ header, httpVersion }: Head): boolean =>
  httpVersion === "1.0" || proxyHeaders.some((name) => header(name) !== undefined);

/** The documentation is a page one may be led to by a link; the rest of the API is for our own page and for programs. */
const isApi = (path: string): boolean => path === "/metrics" || (path.startsWith("/api/") && path !== "/api/docs");

/** A proxy may have replaced `Host`, so a configured name is ours as well. */
function isSameHost(origin: string, host: string, hosts: readonly string[]): boolean {
  const [, scheme, from] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  if (from === undefined) return false;
  const defaultPort = scheme === "https" ? ":443" : ":80";
  return from === host || `${from}${defaultPort}` === host || hosts.includes(from);
}
