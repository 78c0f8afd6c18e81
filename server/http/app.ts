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
import { createGuard, type Head } from "./guard.ts";
import { uploadLimits, type UploadLimits } from "./upload-slots.ts";
import { closeServer, createNodeServer, listen, toUrl } from "./node-server.ts";
import { toOpenApi } from "./openapi.ts";
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
  /** What is shared under a link; refuses with `not-found`. */
  readonly openShared: (token: string, address: string) => Promise<SharedThread>;
  readonly authentication: Authentication;
  readonly watch: Watch;
  /** Refuses with `not-found` a thread that does not exist or belongs to another. */
  readonly authorizeThread: (principal: Principal, threadId: string) => Promise<void>;
  /** The same for a project. */
  readonly authorizeProject: (principal: Principal, projectId: string) => Promise<void>;
  readonly userStreamOf: (principal: Principal) => StreamName;
  /** The newest seq of a stream. Where it is given, a cursor beyond it is refused; else such a reader waits. */
  readonly head?: (stream: StreamName) => Promise<number>;
  readonly config: {
    readonly host: string;
    readonly port: number;
    readonly hosts: readonly string[];
    readonly trustedProxies?: readonly string[];
  };
  readonly attachments: AttachmentStore;
  /** A folder for files on their way in. */
  readonly uploadsDir: string;
  readonly uploadLimits?: UploadLimits;
  readonly servePreview: Previews["serve"];
  /** All files of a project in one; refuses like `authorizeProject`. */
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
  /** How often the sessions of open streams are looked at. */
  readonly sessionCheckMs?: number;
  readonly stalledMs?: number;
  readonly streamsPerUser?: number;
  readonly bodyTimeoutMs?: number;
  /** A file may come by a slow line. */
  readonly fileTimeoutMs?: number;
  readonly checkAnswers?: boolean;
};

export type App = {
  /** Everything but the streams, which need a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly listen: () => Promise<{ readonly url: string; readonly port: number }>;
  /** Every method and path that is answered, as registered; the files of the page and of previews apart. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  readonly streams: () => StreamCounts;
  /** Stops admitting, ends the streams, lets answers in progress finish. */
  readonly close: (graceMs?: number) => Promise<void>;
};

const SESSION_CHECK_MS = 2_000;

/** THE DOOR. Requests come in, are checked, identified and parsed, and go to their route; nothing is decided here. */
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
  const admit = (head: Head): void => {
    if (isClosing) throw new ApiError("unavailable", "This server is shutting down. Try again in a moment.");
    guard(head);
  };
  const toAddress = createClientAddress(config.trustedProxies ?? []);
  const addressOf = (head: Head): string => toAddress(head.socketAddress ?? "", head.header("x-forwarded-for"));
  const identify = (head: Head): Promise<Principal> =>
    authentication.authenticate({
      authorization: head.header("authorization"),
      cookie: head.header("cookie"),
      address: addressOf(head),
    });
  // A session may end on another node, or by its time: its streams here are found by looking.
  const looking = setInterval(() => void endSessions().catch(onLookFailed), options.sessionCheckMs ?? SESSION_CHECK_MS);
  looking.unref();
  const onLookFailed = (error: unknown) => logger.warn({ err: error }, "sessions could not be checked");
  const endSessions = async (): Promise<void> => {
    const open = streams.sessions();
    if (open.length === 0) return;
    for (const session of await authentication.findEnded(open)) streams.endSession(session);
  };

  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const startedAt = clock.monotonic();
    context.set("requestId", ids.next());
    const head = toHead(context);
    admit(head);
    const returning = findReturnPage(head, new URL(context.req.url).search.slice(1));
    if (returning !== undefined) return toResponse(toText(200, html, returning, context.get("requestId")));
    await next();
    if (isSignInReturn(head) && context.res.ok) {
      context.res = toResponse(toText(200, html, signedInPage(), context.get("requestId")));
    }
    const { method, url } = context.req;
    const [path = ""] = url.replace(/^\w+:\/\/[^/]*/, "").split("?", 1);
    const ms = Math.round(clock.monotonic() - startedAt);
    logger.debug({ requestId: context.get("requestId"), method, path, status: context.res.status, ms }, "answered");
    return undefined;
  });
  app.onError((error, context) => {
    const reply = toErrorReply(error, context.get("requestId"), logger);
    // Only the opening of an address asks for it by name: whatever a page fetches hears the same as everyone.
    const isOpened = context.req.method === "GET" && (context.req.header("accept") ?? "").includes("text/html");
    return toResponse(isOpened ? toErrorPage(reply) : reply);
  });
  addApiRoutes(app, {
    handlers: options.handlers,
    authentication,
    identify: (context) => identify(toHead(context)),
    addressOf: (context) => addressOf(toHead(context)),
    onSessionEnd: streams.endSession,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 15_000,
    openShared: options.openShared,
    checkAnswers: options.checkAnswers ?? false,
  });
  addAttachmentRoutes(app, {
    attachments: options.attachments,
    identify: (context) => identify(toHead(context)),
    bodyTimeoutMs: options.fileTimeoutMs ?? 120_000,
    uploadsDir: options.uploadsDir,
    limits: options.uploadLimits ?? uploadLimits,
  });
  addOwnRoutes(app, { ...options, streams: streams.counts }, (context) => identify(toHead(context)));

  const openStream = createStreamHandler({ ...options, admit, identify, streams });
  const answer = getRequestListener(app.fetch, {
    // It would cut the connection of a client that is still sending, and the client might never read why.
    autoCleanupIncoming: false,
    errorHandler: () =>
      toResponse(toErrorReply(new ApiError("invalid", "The address cannot be read."), ids.next(), logger)),
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
      clearInterval(looking);
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
  const description = toOpenApi(options.version);
  const page = createPage(options.webDir);
  const openPreview = createPreviewHandler(options.servePreview);

  app.get("/api/openapi.json", async (context) => {
    await identify(context);
    return toResponse(toJson(200, description, context.get("requestId")));
  });
  app.get("/api/docs", async (context) => {
    await identify(context);
    return toResponse(toText(200, html, toDocsPage(description), context.get("requestId")));
  });
  app.get("/api/projects/:projectId/archive", async (context) => {
    const { name, bytes } = await options.archive(await identify(context), toProjectId(context.req.param("projectId")));
    return toResponse(toDownload(name, bytes, context.get("requestId")));
  });
  app.get("/healthz", (context) => toResponse(toJson(200, { ok: true }, context.get("requestId"))));
  app.get("/readyz", async (context) => {
    const { ok, why } = await options.health();
    // The reason may name machines and databases: it is for the principal and the log.
    const isKnown = ok || (await identify(context).then(Boolean, () => false));
    if (!ok) options.logger.warn({ why }, "not ready");
    if (!ok) throw new ApiError("unavailable", (isKnown && why) || "This server cannot do its work at the moment.");
    return toResponse(toJson(200, { ok }, context.get("requestId")));
  });
  app.get("/metrics", async (context) => {
    await identify(context);
    const text = await options.metrics(options.streams());
    return toResponse(toText(200, "text/plain; version=0.0.4; charset=utf-8", text, context.get("requestId")));
  });
  app.notFound(async (context) => {
    const { method, path } = context.req;
    if (isPreview(path)) return toResponse(await openPreview({ method, head: toHead(context) }));
    const isPage = (method === "GET" || method === "HEAD") && !path.startsWith("/api/");
    if (!isPage) throw new ApiError("not-found", "There is nothing at this address for this method.");
    return toResponse(await page(path, context.req.header("accept-encoding") ?? ""));
  });
}

const toProjectId = (given: string): string => {
  const parsed = ClientId.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ApiError("not-found", "There is no such project.");
};

const html = "text/html; charset=utf-8";

/** Without a socket there may be no `Host` header; the address then says the same. */
const toHead = ({ req, env }: Context<Env>): Head => ({
  method: req.method,
  path: req.path,
  httpVersion: env?.incoming?.httpVersion,
  socketAddress: env?.incoming?.socket?.remoteAddress,
  header: (name) => req.header(name) ?? (name === "host" ? new URL(req.url).host : undefined),
});
