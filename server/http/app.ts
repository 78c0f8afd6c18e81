import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { ApiError } from "../../protocol/errors.ts";
import { ClientId, type StreamName } from "../../protocol/ids.ts";
import { streams as streamPaths } from "../../protocol/routes.ts";
import type { SharedThread } from "../../protocol/account/shares.ts";
import type { Authentication } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Watch } from "../log/types.ts";
import { createClientAddress } from "../net/client-address.ts";
import type { Previews } from "../workspace/preview.ts";
import { addApiRoutes, type Env } from "./api-routes.ts";
import { toDocsPage } from "./docs-page.ts";
import { createGuard, type RequestHead } from "./guard.ts";
import { uploadLimits, type UploadLimits } from "./upload-slots.ts";
import { closeServer, createNodeServer, listen, toUrl } from "./node-server.ts";
import { toOpenApi, type OpenApi } from "./openapi.ts";
import { createPage } from "./page.ts";
import { findReturnPage, isSignInReturn, signedInPage } from "./handlers/mcp-sign-in.ts";
import { addAttachmentRoutes, type AttachmentStore } from "./handlers/attachment-content.ts";
import { createPreviewHandler, isPreview } from "./handlers/preview-files.ts";
import { toDownload, toJson, toErrorReply, toErrorPage, toResponse, toText } from "./reply.ts";
import type { Handlers, Logger } from "./route-types.ts";
import { createStreams, type StreamCounts } from "./sse.ts";
import { createStreamHandler } from "./handlers/streams.ts";

export type AppOptions = {
  readonly handlers: Handlers;
  /** The shared thread of a link; throws `not-found` if there is none. */
  readonly openShared: (token: string, address: string) => Promise<SharedThread>;
  readonly authentication: Authentication;
  readonly watch: Watch;
  /** Throws `not-found` for a thread that does not exist or belongs to another user. */
  readonly authorizeThread: (principal: Principal, threadId: string) => Promise<void>;
  /** The same for a project. */
  readonly authorizeProject: (principal: Principal, projectId: string) => Promise<void>;
  readonly userStreamOf: (principal: Principal) => StreamName;
  /** The newest seq of a stream. If given, a cursor beyond it is rejected; otherwise such a reader waits. */
  readonly head?: (stream: StreamName) => Promise<number>;
  readonly config: {
    readonly host: string;
    readonly port: number;
    readonly hosts: readonly string[];
    readonly trustedProxies?: readonly string[];
  };
  readonly attachments: AttachmentStore;
  /** Folder for uploads in progress. */
  readonly uploadsDir: string;
  readonly uploadLimits?: UploadLimits;
  readonly servePreview: Previews["serve"];
  /** All files of a project as a zip archive. Throws like `authorizeProject`. */
  readonly archive: (
    principal: Principal,
    projectId: string,
  ) => Promise<{ readonly name: string; readonly bytes: Buffer }>;
  readonly health: () => Promise<{ readonly ok: boolean; readonly why?: string }>;
  readonly metrics: (streams: StreamCounts) => Promise<string>;
  /** The folder of the built page. */
  readonly webDir: string;
  readonly version: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly heartbeatMs?: number;
  /** How often the sessions of open streams are checked. */
  readonly sessionCheckMs?: number;
  readonly stalledMs?: number;
  readonly streamsPerUser?: number;
  readonly bodyTimeoutMs?: number;
  /** Longer than for other bodies, because a connection may be slow. */
  readonly fileTimeoutMs?: number;
  readonly checkResponses?: boolean;
};

export type App = {
  /** Handles all requests except streams, which need a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly listen: () => Promise<{ readonly url: string; readonly port: number }>;
  /** Every registered method and path, without the files of the page and of previews. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  readonly streams: () => StreamCounts;
  /** Rejects new requests, ends the streams and lets responses in progress finish. */
  readonly close: (graceMs?: number) => Promise<void>;
};

const SESSION_CHECK_MS = 2_000;

/** The HTTP application: checks, authenticates and parses requests and passes them to their handler. Contains no domain logic. */
export function createApp(options: AppOptions): App {
  const { config, logger, clock, ids, authentication } = options;
  let port = config.port;
  let isClosing = false;
  const guard = createGuard({
    host: config.host,
    port: () => port,
    hosts: config.hosts,
    hasCredentials: authentication.kind !== "none",
  });
  const streams = createStreams({
    watch: options.watch,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    stalledMs: options.stalledMs ?? 15_000,
    streamsPerUser: options.streamsPerUser ?? 10_000,
  });
  const checkRequest = (head: RequestHead): void => {
    if (isClosing) throw new ApiError("unavailable", "This server is shutting down. Try again in a moment.");
    guard(head);
  };
  const toAddress = createClientAddress(config.trustedProxies ?? []);
  const addressOf = (head: RequestHead): string => toAddress(head.socketAddress ?? "", head.header("x-forwarded-for"));
  const identify = (head: RequestHead): Promise<Principal> =>
    authentication.authenticate({
      authorization: head.header("authorization"),
      cookie: head.header("cookie"),
      address: addressOf(head),
    });
  // A session may expire or be ended by another node, so the sessions of open streams are polled.
  const sessionTimer = setInterval(
    () => void endSessions().catch(onCheckFailed),
    options.sessionCheckMs ?? SESSION_CHECK_MS,
  );
  sessionTimer.unref();
  const onCheckFailed = (error: unknown) => logger.warn({ err: error }, "Sessions could not be checked.");
  const endSessions = async (): Promise<void> => {
    const open = streams.sessions();
    if (open.length === 0) return;
    for (const session of await authentication.findEnded(open)) streams.endSession(session);
  };

  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const startedAt = clock.monotonic();
    context.set("requestId", ids.next());
    const head = toRequestHead(context);
    checkRequest(head);
    const returning = findReturnPage(head, new URL(context.req.url).search.slice(1));
    if (returning !== undefined) return toResponse(toText(200, html, returning, context.get("requestId")));
    await next();
    if (isSignInReturn(head) && context.res.ok) {
      context.res = toResponse(toText(200, html, signedInPage(), context.get("requestId")));
    }
    const { method, url } = context.req;
    const [path = ""] = url.replace(/^\w+:\/\/[^/]*/, "").split("?", 1);
    const ms = Math.round(clock.monotonic() - startedAt);
    logger.debug(
      { requestId: context.get("requestId"), method, path, status: context.res.status, ms },
      "Request handled.",
    );
    return undefined;
  });
  app.onError((error, context) => {
    const reply = toErrorReply(error, context.get("requestId"), logger);
    // Only a navigation accepts text/html explicitly. Requests by scripts get JSON.
    const isOpened = context.req.method === "GET" && (context.req.header("accept") ?? "").includes("text/html");
    return toResponse(isOpened ? toErrorPage(reply) : reply);
  });
  addApiRoutes(app, {
    handlers: options.handlers,
    authentication,
    identify: (context) => identify(toRequestHead(context)),
    addressOf: (context) => addressOf(toRequestHead(context)),
    onSessionEnd: streams.endSession,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 15_000,
    openShared: options.openShared,
    checkResponses: options.checkResponses ?? false,
  });
  addAttachmentRoutes(app, {
    attachments: options.attachments,
    identify: (context) => identify(toRequestHead(context)),
    bodyTimeoutMs: options.fileTimeoutMs ?? 120_000,
    uploadsDir: options.uploadsDir,
    limits: options.uploadLimits ?? uploadLimits,
  });
  addOwnRoutes(app, { ...options, streams: streams.counts }, (context) => identify(toRequestHead(context)));

  const openStream = createStreamHandler({ ...options, checkRequest, identify, streams });
  const answer = getRequestListener(app.fetch, {
    // It would close the connection of a client that is still sending, which might then never read the error.
    autoCleanupIncoming: false,
    errorHandler: () => toResponse(toErrorReply(new ApiError("invalid", "The URL is not valid."), ids.next(), logger)),
  });
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    if (!openStream(request, response)) void answer(request, response);
  };
  const server = createNodeServer({ listener, newId: ids.next, logger });

  return {
    fetch: async (request) => app.fetch(request),
    listen: async () => {
      port = await listen(server, config.host, config.port);
      return { url: toUrl(config.host, port), port };
    },
    routes: [
      ...app.routes.filter(({ path }) => path !== "/*").map(({ method, path }) => ({ method, path })),
      ...Object.values(streamPaths).map((path) => ({ method: "GET", path })),
    ],
    streams: streams.counts,
    close: async (graceMs = 3_000) => {
      isClosing = true;
      clearInterval(sessionTimer);
      streams.close();
      await closeServer(server, graceMs);
    },
  };
}

function addOwnRoutes(
  app: Hono<Env>,
  options: AppOptions & Pick<App, "streams">,
  identify: (context: Context<Env>) => Promise<Principal>,
): void {
  let described: OpenApi | undefined;
  const describe = (): OpenApi => (described ??= toOpenApi(options.version));
  const page = createPage(options.webDir);
  const openPreview = createPreviewHandler(options.servePreview);

  app.get("/api/openapi.json", async (context) => {
    await identify(context);
    return toResponse(toJson(200, describe(), context.get("requestId")));
  });
  app.get("/api/docs", async (context) => {
    await identify(context);
    return toResponse(toText(200, html, toDocsPage(describe()), context.get("requestId")));
  });
  app.get("/api/projects/:projectId/archive", async (context) => {
    const { name, bytes } = await options.archive(await identify(context), toProjectId(context.req.param("projectId")));
    return toResponse(toDownload(name, bytes, context.get("requestId")));
  });
  app.get("/healthz", (context) => toResponse(toJson(200, { ok: true }, context.get("requestId"))));
  app.get("/readyz", async (context) => {
    const { ok, why } = await options.health();
    // The reason may name hosts and databases, so only signed-in users and the log get it.
    const isKnown = ok || (await identify(context).then(Boolean, () => false));
    if (!ok) options.logger.warn({ why }, "The server is not ready.");
    if (!ok) throw new ApiError("unavailable", (isKnown && why) || "The server is not ready. Try again later.");
    return toResponse(toJson(200, { ok }, context.get("requestId")));
  });
  app.get("/metrics", async (context) => {
    await identify(context);
    const text = await options.metrics(options.streams());
    return toResponse(toText(200, "text/plain; version=0.0.4; charset=utf-8", text, context.get("requestId")));
  });
  app.notFound(async (context) => {
    const { method, path } = context.req;
    if (isPreview(path)) return toResponse(await openPreview({ method, head: toRequestHead(context) }));
    const isPage = (method === "GET" || method === "HEAD") && !path.startsWith("/api/");
    if (!isPage) throw new ApiError("not-found", "No route matches this method and path.");
    return toResponse(await page(path, context.req.header("accept-encoding") ?? ""));
  });
}

const toProjectId = (given: string): string => {
  const parsed = ClientId.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ApiError("not-found", "Not found.");
};

const html = "text/html; charset=utf-8";

/** Without a socket there may be no `Host` header. Then the host is taken from the URL. */
const toRequestHead = ({ req, env }: Context<Env>): RequestHead => ({
  method: req.method,
  path: req.path,
  httpVersion: env?.incoming?.httpVersion,
  socketAddress: env?.incoming?.socket?.remoteAddress,
  header: (name) => req.header(name) ?? (name === "host" ? new URL(req.url).host : undefined),
});
