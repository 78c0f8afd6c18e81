import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import type { Scope } from "../../protocol/scopes.ts";
import { assertScope, type Authentication } from "../auth/authenticate.ts";
import { ApiError } from "../../protocol/errors.ts";
import { isByProxy, toSession, type Principal } from "../auth/principal.ts";
import { createClientAddress, createProxyCheck } from "../net/client-address.ts";
import type { Env } from "./api-routes.ts";
import type { RequestHead } from "./guard.ts";
import { createOwnCookies } from "./own-cookies.ts";
import type { RequestRates } from "./request-rates.ts";
import type { Logger } from "./route-types.ts";
import type { StreamAccess, Streams } from "./sse.ts";

type Options = {
  readonly authentication: Authentication;
  readonly streams: Pick<Streams, "track" | "sessions" | "endSession" | "readers" | "endReader">;
  /** Readers who have lost access to their stream. Without accounts there are none. */
  readonly findLostStreams: ((readers: readonly StreamAccess[]) => Promise<readonly StreamAccess[]>) | undefined;
  readonly trustedProxies: readonly string[];
  readonly publicUrl: string;
  /** Header with the user whom a trusted proxy has signed in; null: none. */
  readonly userHeader: string | null;
  readonly checkMs: number;
  /** null: requests are not counted, because the server has one user. */
  readonly rates: RequestRates | null;
  readonly logger: Logger;
};

/** Finds the principals of requests, and cuts the open responses of sessions and keys that have ended. */
export function createIdentification({
  authentication,
  streams,
  trustedProxies,
  publicUrl,
  userHeader,
  findLostStreams,
  checkMs,
  rates,
  logger,
}: Options) {
  const isProxy = createProxyCheck(trustedProxies);
  const cookies = createOwnCookies({ publicUrl, isProxy });
  const toAddress = createClientAddress(trustedProxies);
  const addressOf = (head: RequestHead): string => toAddress(head.socketAddress ?? "", head.header("x-forwarded-for"));

  /** Throws if there is no principal, or if it has an API key without this scope. */
  const identify = async (head: RequestHead, scope: Scope): Promise<Principal> => {
    const principal = await authentication.authenticate({
      authorization: head.header("authorization"),
      apiKey: head.header("x-api-key"),
      cookie: cookies.read(head),
      address: addressOf(head),
      proxyUser: userHeader !== null && isProxy(head.socketAddress ?? "") ? head.header(userHeader) : undefined,
    });
    if (isByProxy(principal)) assertSentByPage(head);
    assertScope(principal, scope);
    rates?.assertAllowed(principal.userId, addressOf(head), head.method === "GET" || head.method === "HEAD");
    return principal;
  };

  const endSessions = async (except?: ServerResponse): Promise<void> => {
    const open = streams.sessions();
    if (open.length === 0) return;
    try {
      for (const session of await authentication.findEnded(open)) streams.endSession(session, except);
    } catch (error) {
      logger.warn({ err: error }, "Sessions could not be checked.");
    }
  };
  const endLostStreams = async (): Promise<void> => {
    const readers = findLostStreams ? streams.readers() : [];
    if (!findLostStreams || readers.length === 0) return;
    try {
      for (const reader of await findLostStreams(readers)) streams.endReader(reader);
    } catch (error) {
      logger.warn({ err: error }, "Access to open streams could not be checked.");
    }
  };
  const check = (): void => {
    void endSessions();
    void endLostStreams();
  };
  // A session or key may expire, and it or a membership may be ended by another node, so those of open responses are polled.
  const timer = setInterval(check, checkMs).unref();

  return {
    addressOf,
    cookies,
    identify,
    /** The same for a routed request. Its response is cut if the session or key ends while it is open. */
    identifyContext: async (context: Context<Env>, scope: Scope): Promise<Principal> => {
      const principal = await identify(toRequestHead(context), scope);
      const session = toSession(principal);
      const response = toOutgoing(context);
      if (session !== undefined && response) streams.track(response, session);
      return principal;
    },
    /** Cuts the responses of ended sessions and keys now, except the response to this request. */
    endSessions: (context: Context<Env>): Promise<void> => endSessions(toOutgoing(context)),
    /** Cuts the streams of users who have lost access to them now. */
    endLostStreams,
    close: (): void => clearInterval(timer),
  };
}

/**
 * A proxy's own cookie may be sent with requests that other sites cause, and this server cannot require `SameSite` of it. So changes
 * need a header that only browsers set, and that says that our page sent them; the guard has refused other values.
 */
function assertSentByPage({ method, header }: RequestHead): void {
  if (method === "GET" || method === "HEAD") return;
  if (header("sec-fetch-site") === "same-origin" || header("origin") !== undefined) return;
  throw new ApiError(
    "forbidden",
    "Only the page can send this with the sign-in of a proxy. Other programs need an API key.",
  );
}

/** Without a socket there may be no `Host` header. Then the host is taken from the URL. */
export const toRequestHead = ({ req, env }: Context<Env>): RequestHead => ({
  method: req.method,
  path: req.path,
  httpVersion: env?.incoming?.httpVersion,
  socketAddress: env?.incoming?.socket?.remoteAddress,
  header: (name) => req.header(name) ?? (name === "host" ? new URL(req.url).host : undefined),
});

/** undefined without a socket. */
export const toOutgoing = ({ env }: Context<Env>): ServerResponse | undefined =>
  env?.outgoing as ServerResponse | undefined;
