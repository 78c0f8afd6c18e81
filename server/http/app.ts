import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { ApiError } from "../../protocol/errors.ts";
import { ClientId, threadStream, type StreamName } from "../../protocol/ids.ts";
import { isOpenAiPath } from "../../protocol/surfaces/openai-routes.ts";
import { PRESENCE_EVENT, type Present } from "../../protocol/project/presence.ts";
import { streams as streamPaths } from "../../protocol/routes.ts";
import type { Authentication } from "../auth/authenticate.ts";
import { assertRole, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Watch } from "../log/types.ts";
import { createMcpSurface } from "../surfaces/mcp/surface.ts";
import type { Chats } from "../surfaces/ai-sdk/chats.ts";
import type { OpenAi } from "../surfaces/openai/openai.ts";
import type { ProjectUploads } from "../thread/attachments/project-uploads.ts";
import type { Previews } from "../workspace/preview.ts";
import { addApiRoutes, createRouteCaller, type Env, type Identify } from "./api-routes.ts";
import { createCors } from "./cors.ts";
import { addMcpRoutes } from "./handlers/mcp-routes.ts";
import { toDocsPage } from "./docs-page.ts";
import { createGuard, type RequestHead } from "./guard.ts";
import { createIdentification, toOutgoing, toRequestHead } from "./identify.ts";
import { uploadLimits, type UploadLimits } from "./upload-slots.ts";
import { closeServer, createNodeServer, listen, toUrl } from "./node-server.ts";
import { toOpenApi, type OpenApi } from "./openapi.ts";
import { createPage } from "./page.ts";
import { findReturnPage, isSignInReturn, signedInPage } from "./handlers/mcp-sign-in.ts";
import {
  addAttachmentRoutes,
  type AttachmentStore,
  type ImportUploads,
  type AssertRoom,
} from "./handlers/attachment-routes.ts";
import { addAliasRoutes, type AliasOptions } from "./handlers/alias-routes.ts";
import { addAiSdkRoutes } from "./handlers/ai-sdk-routes.ts";
import { addOpenAiRoutes, toOpenAiReply } from "./handlers/openai-routes.ts";
import { addOidcRoutes, type OidcRoutes } from "./handlers/oidc-routes.ts";
import { createPreviewHandler, isPreview } from "./handlers/preview-files.ts";
import { securityHeaders, toDownload, toJson, toErrorReply, toErrorPage, toResponse, textReply } from "./reply.ts";
import { createRequestRates } from "./request-rates.ts";
import type { Handlers, Logger, OpenHandlers } from "./route-types.ts";
import { createStreams, type StreamAccess, type StreamCounts } from "./sse.ts";
import { createStreamHandler } from "./handlers/streams.ts";

export type AppOptions = {
  readonly handlers: Handlers;
  /** Handlers of the routes that need no principal. */
  readonly open: OpenHandlers;
  readonly authentication: Authentication;
  readonly watch: Watch;
  /** Throws `not-found` for a thread that does not exist or belongs to another user. */
  readonly authorizeThread: (principal: Principal, threadId: string) => Promise<void>;
  /** The same for a project. */
  readonly authorizeProject: (principal: Principal, projectId: string) => Promise<void>;
  readonly findLostStreams?: (readers: readonly StreamAccess[]) => Promise<readonly StreamAccess[]>;
  readonly userStreamOf: (principal: Principal) => StreamName;
  /** The newest seq of a stream. If given, a cursor beyond it is rejected; otherwise such a reader waits. */
  readonly head?: (stream: StreamName) => Promise<number>;
  readonly config: {
    readonly host: string;
    readonly port: number;
    readonly hosts: readonly string[];
    readonly trustedProxies?: readonly string[];
    /** Origins whose pages may call the API with a key. */
    readonly corsOrigins?: readonly string[];
    readonly publicUrl?: string;
    readonly requestsPerMinute?: number;
    readonly signIn?: { readonly header: { readonly name: string } | null };
  };
  /** null: there is no provider to sign in with. */
  readonly oidc?: OidcRoutes;
  readonly attachments: AttachmentStore;
  readonly projectUploads: ProjectUploads;
  readonly imports: ImportUploads;
  readonly chats: Pick<Chats, "post" | "resume">;
  readonly aliases: Pick<AliasOptions, "turns" | "callWebTool">;
  /** Handlers of OpenAI's API. */
  readonly openAi: OpenAi;
  /** Folder for uploads in progress. */
  readonly uploadsDir: string;
  readonly uploadLimits?: UploadLimits;
  readonly assertRoom?: AssertRoom | undefined;
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
  /** How often the sessions and keys of open streams are checked. */
  readonly sessionCheckMs?: number;
  readonly stalledMs?: number;
  readonly streamLifeMs?: number;
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
  /** Cuts the streams of users who have lost access to them. Other nodes find them within seconds. */
  readonly endLostStreams: () => Promise<void>;
  readonly publishPresence: (threadId: string, present: Present) => void;
  /** Rejects new requests, ends the streams and lets responses in progress finish. */
  readonly close: (graceMs?: number) => Promise<void>;
};

const SESSION_CHECK_MS = 2_000;
const REQUESTS_PER_MINUTE = 600;
const WITHOUT_SIGN_IN =
  "No sign-in is needed: every program that can connect has full access, and so has everyone behind a proxy on this machine. " +
  "Before you put a proxy or a tunnel in front, set STONECHAT_ACCOUNTS=on or STONECHAT_TOKEN.";

/** The HTTP application: checks, authenticates and parses requests and passes them to their handler. Contains no domain logic. */
export function createApp(options: AppOptions): App {
  const { config, logger, clock, ids, authentication } = options;
  let port = config.port;
  let isClosing = false;
  const cors = createCors(config.corsOrigins ?? []);
  const guard = createGuard({
    host: config.host,
    port: () => port,
    hosts: config.hosts,
    hasCredentials: authentication.kind !== "none",
    isAllowedCors: cors.isAllowed,
  });
  const streams = createStreams({
    watch: options.watch,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    stalledMs: options.stalledMs ?? 15_000,
    ...(options.streamLifeMs === undefined ? {} : { lifeMs: options.streamLifeMs }),
    streamsPerUser: options.streamsPerUser ?? 10_000,
  });
  const checkRequest = (head: RequestHead): void => {
    if (isClosing) throw new ApiError("unavailable", "This server is shutting down. Try again in a moment.");
    guard(head);
  };
  const { addressOf, cookies, identify, identifyContext, ...identification } = createIdentification({
    authentication,
    streams,
    trustedProxies: config.trustedProxies ?? [],
    publicUrl: config.publicUrl ?? "",
    userHeader: config.signIn?.header?.name ?? null,
    findLostStreams: authentication.kind === "accounts" ? options.findLostStreams : undefined,
    checkMs: options.sessionCheckMs ?? SESSION_CHECK_MS,
    rates:
      authentication.kind === "accounts"
        ? createRequestRates({ clock, perMinute: config.requestsPerMinute ?? REQUESTS_PER_MINUTE })
        : null,
    logger,
  });

  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const startedAt = clock.monotonic();
    context.set("requestId", ids.next());
    const head = toRequestHead(context);
    checkRequest(head);
    const corsHeaders = cors.headersFor(head);
    if (cors.isPreflight(head))
      return new Response(null, { status: 204, headers: { ...securityHeaders, ...corsHeaders } });
    // Streams write to the socket themselves.
    toOutgoing(context)?.setHeaders(new Map(Object.entries(corsHeaders)));
    const returning = findReturnPage(head, new URL(context.req.url).search.slice(1));
    if (returning !== undefined) return toResponse(textReply(200, html, returning, context.get("requestId")));
    await next();
    if (isSignInReturn(head) && context.res.ok) {
      context.res = toResponse(textReply(200, html, signedInPage(), context.get("requestId")));
    }
    addHeaders(context.res, corsHeaders);
    const { method, url } = context.req;
    const [path = ""] = url.replace(/^\w+:\/\/[^/]*/, "").split("?", 1);
    const ms = Math.round(clock.monotonic() - startedAt);
    const fields = {
      requestId: context.get("requestId"),
      method,
      path: withoutToken(path),
      status: context.res.status,
      ms,
    };
    logger[isOfApi(path) ? "info" : "debug"](fields, "Request handled.");
    return undefined;
  });
  app.onError((error, context) => {
    const isOpenAi = isOpenAiPath(context.req.path);
    const reply = (isOpenAi ? toOpenAiReply : toErrorReply)(error, context.get("requestId"), logger);
    // Only a navigation accepts text/html explicitly. Requests by scripts get JSON.
    const isOpened =
      !isOpenAi && context.req.method === "GET" && (context.req.header("accept") ?? "").includes("text/html");
    const response = toResponse(isOpened ? toErrorPage(reply) : reply);
    addHeaders(response, cors.headersFor(toRequestHead(context)));
    return response;
  });
  addApiRoutes(app, {
    handlers: options.handlers,
    authentication,
    identify: identifyContext,
    addressOf: (context) => addressOf(toRequestHead(context)),
    cookies,
    onSessionEnd: streams.endSession,
    onCredentialsEnd: identification.endSessions,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 15_000,
    open: options.open,
    checkResponses: options.checkResponses ?? false,
  });
  addOidcRoutes(app, {
    oidc: options.oidc ?? null,
    identify: identifyContext,
    addressOf: (context) => addressOf(toRequestHead(context)),
    cookies,
  });
  addAttachmentRoutes(app, {
    attachments: options.attachments,
    projectUploads: options.projectUploads,
    imports: options.imports,
    identify: identifyContext,
    bodyTimeoutMs: options.fileTimeoutMs ?? 120_000,
    uploadsDir: options.uploadsDir,
    limits: options.uploadLimits ?? uploadLimits,
    assertRoom: options.assertRoom,
  });
  const mcp = createMcpSurface({
    ...{ clock, ids, watch: options.watch, version: options.version, publicUrl: config.publicUrl ?? "" },
    callRoute: createRouteCaller(options.handlers, ids.next),
    onBug: (error) => logger.error({ err: error }, "A call of an MCP client failed."),
  });
  addMcpRoutes(app, {
    mcp,
    identify: identifyContext,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 15_000,
  });
  const closing = new AbortController();
  addOpenAiRoutes(app, {
    openAi: options.openAi,
    identify: identifyContext,
    bodyTimeoutMs: options.fileTimeoutMs ?? 120_000,
    closing: closing.signal,
    heartbeatMs: options.heartbeatMs ?? 15_000,
    ...{ streams, logger },
  });
  addAiSdkRoutes(app, {
    chats: options.chats,
    streams,
    identify: identifyContext,
    bodyTimeoutMs: options.fileTimeoutMs ?? 120_000,
  });
  addAliasRoutes(app, {
    ...options.aliases,
    streams,
    identify: identifyContext,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 15_000,
  });
  addOwnRoutes(app, { ...options, streams: streams.counts }, identifyContext);

  const openStream = createStreamHandler({
    ...options,
    checkRequest,
    identify: (head) => identify(head, "read"),
    corsHeaders: cors.headersFor,
    streams,
  });
  const listener = getRequestListener(app.fetch, {
    // It would close the connection of a client that is still sending, which might then never read the error.
    autoCleanupIncoming: false,
    errorHandler: () => toResponse(toErrorReply(new ApiError("invalid", "The URL is not valid."), ids.next(), logger)),
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (!openStream(request, response)) void listener(request, response);
  };
  const server = createNodeServer({ listener: onRequest, newId: ids.next, logger });

  return {
    fetch: async (request) => app.fetch(request),
    listen: async () => {
      port = await listen(server, config.host, config.port);
      const url = toUrl(config.host, port);
      if (authentication.kind === "none") logger.info({}, WITHOUT_SIGN_IN);
      return { url, port };
    },
    routes: [
      ...app.routes.filter(({ path }) => path !== "/*").map(({ method, path }) => ({ method, path })),
      ...Object.values(streamPaths).map((path) => ({ method: "GET", path })),
    ],
    streams: streams.counts,
    publishPresence: (threadId, present) => streams.publish(threadStream(threadId), PRESENCE_EVENT, present),
    endLostStreams: identification.endLostStreams,
    close: async (graceMs = 3_000) => {
      isClosing = true;
      identification.close();
      closing.abort();
      streams.close();
      await mcp.close();
      await closeServer(server, graceMs);
    },
  };
}

function addOwnRoutes(app: Hono<Env>, options: AppOptions & Pick<App, "streams">, identify: Identify): void {
  let described: OpenApi | undefined;
  const describe = (): OpenApi => (described ??= toOpenApi(options.version));
  const page = createPage(options.webDir);
  const openPreview = createPreviewHandler(options.servePreview, options.authentication.findEnded);

  app.get("/api/openapi.json", async (context) => {
    await identify(context, "read");
    return toResponse(toJson(200, describe(), context.get("requestId")));
  });
  app.get("/api/docs", async (context) => {
    await identify(context, "read");
    return toResponse(textReply(200, html, toDocsPage(describe()), context.get("requestId")));
  });
  app.get("/api/projects/:projectId/archive", async (context) => {
    const principal = await identify(context, "read");
    const { name, bytes } = await options.archive(principal, toProjectId(context.req.param("projectId")));
    return toResponse(toDownload(name, bytes, context.get("requestId")));
  });
  app.get("/healthz", (context) => toResponse(toJson(200, { ok: true }, context.get("requestId"))));
  app.get("/readyz", async (context) => {
    const { ok, why } = await options.health();
    // The reason may name hosts and databases, so only admins and the log get it.
    const isKnown =
      ok ||
      (await identify(context, "read").then(
        ({ role }) => role === "admin",
        () => false,
      ));
    if (!ok) options.logger.warn({ why }, "The server is not ready.");
    if (!ok) throw new ApiError("unavailable", (isKnown && why) || "The server is not ready. Try again later.");
    return toResponse(toJson(200, { ok }, context.get("requestId")));
  });
  app.get("/metrics", async (context) => {
    assertRole(await identify(context, "read"), "admin");
    const text = await options.metrics(options.streams());
    return toResponse(textReply(200, "text/plain; version=0.0.4; charset=utf-8", text, context.get("requestId")));
  });
  app.notFound(async (context) => {
    const { method, path } = context.req;
    if (isPreview(path)) return toResponse(await openPreview({ method, head: toRequestHead(context) }));
    const isPage = (method === "GET" || method === "HEAD") && !path.startsWith("/api/") && !isOpenAiPath(path);
    if (!isPage) throw new ApiError("not-found", "No route matches this method and path.");
    return toResponse(await page(path, context.req.header("accept-encoding") ?? ""));
  });
}

/** The token of a share or of a preview suffices to read it. */
const withoutToken = (path: string): string => path.replace(/^\/(api\/shared|s|preview)\/.*/, "/$1/...");

/** Requests for files of the page, and those of monitors, are too many for the log. */
const isOfApi = (path: string): boolean => /^\/(?:api|v1|mcp)(?:\/|$)/.test(path);

const toProjectId = (given: string): string => {
  const parsed = ClientId.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ApiError("not-found", "Not found.");
};

const html = "text/html; charset=utf-8";

/** Reads `headers` only if needed: until then a response of the Node server stays cheap. */
function addHeaders(response: Response, added: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(added)) response.headers.set(name, value);
}
