import type { Socket } from "node:net";
import type { Clock } from "../lib/clock.ts";

export { NetError, type NetErrorCode } from "./net-error.ts";

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
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Opens a TCP connection to an address that was checked, or to the proxy. */
  readonly dial?: (to: Endpoint, signal: AbortSignal) => Promise<Socket>;
  /** The operator's exceptions: `name`, `name:port`, an address, `address:port` or a CIDR. */
  readonly allowPrivate?: readonly string[];
  /** `http://[user:password@]host:port` of the operator. */
  readonly proxy?: string | null;
};

export type Endpoint = { readonly address: string; readonly port: number };

export function createFetch(_options: FetchOptions): Fetch {
  return () => Promise.reject(new Error("The way out is not built yet."));
}

/** The body as text: by byte order mark, header, or what an HTML page says of itself; otherwise UTF-8. */
export function toText(_fetched: Fetched): string {
  throw new Error("The way out is not built yet.");
}
