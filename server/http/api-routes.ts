import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { api, type Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { endsCredentials, roleOf, routes, type RouteName } from "../../protocol/routes.ts";
import type { Scope } from "../../protocol/scopes.ts";
import { assertScope, type Authentication } from "../auth/authenticate.ts";
import { assertRole, type Principal } from "../auth/principal.ts";
import type { CallRoute } from "../surfaces/mcp/surface.ts";
import { readBody } from "./body.ts";
import type { Download } from "../transfer/export/exports.ts";
import { toRequestHead } from "./identify.ts";
import type { OwnCookies } from "./own-cookies.ts";
import { toFile, toInvalid, toJson, toResponse } from "./reply.ts";
import type { Browser, HandledRoute, Handlers, OpenHandlers, OpenRoute, RouteRequest } from "./route-types.ts";

export type Env = { Bindings: Partial<HttpBindings>; Variables: { requestId: string } };

/** The principal of a request. Throws if there is none, or if it has an API key without this scope. */
export type Identify = (context: Context<Env>, scope: Scope) => Promise<Principal>;

type Options = {
  readonly handlers: Handlers;
  readonly authentication: Authentication;
  readonly identify: Identify;
  readonly addressOf: (context: Context<Env>) => string;
  readonly cookies: OwnCookies;
  /** Called when a session was ended, to close its streams. */
  readonly onSessionEnd: (session: string) => void;
  /** Called when sessions or keys may have ended, to close their streams. */
  readonly onCredentialsEnd: (context: Context<Env>) => Promise<void>;
  readonly bodyTimeoutMs: number;
  /** Handlers of the routes that need no principal. */
  readonly open: OpenHandlers;
  /** Whether responses are checked against their schemas, as tests do. A mismatch is a bug. */
  readonly checkResponses: boolean;
};

type ParsedInput = { readonly params: object; readonly query: object; readonly body: object | undefined };
type AnyOpenRoute = (
  request: ParsedInput & { readonly browser: Browser },
) => Promise<{ readonly value: unknown; readonly cookie?: string | readonly string[] }>;
type AnyRoute = (request: RouteRequest<HandledRoute>) => Promise<unknown>;

/** Registers every route of the route table: authenticate, parse, handle. */
export function addApiRoutes(app: Hono<Env>, options: Options): void {
  const { handlers, authentication, identify } = options;
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    if (name === "signOut") {
      app.on(method, path, async (context) => {
        await parse(context, name, options);
        const { cookies, ended } = await authentication.signOut(
          options.cookies.read(toRequestHead(context)),
          options.addressOf(context),
        );
        for (const session of ended) options.onSessionEnd(session);
        return toResponse(toJson(200, {}, context.get("requestId")), cookies);
      });
    } else if (isOpen(name)) {
      const handle = options.open[name] as AnyOpenRoute;
      app.on(method, path, async (context) => {
        const parsed = await parse(context, name, options);
        const { value, cookie = [] } = await handle({ ...parsed, browser: toBrowser(context, options) });
        if (endsCredentials(name)) await options.onCredentialsEnd(context);
        if (options.checkResponses) assertResponse(name, value);
        return toResponse(toJson(200, value, context.get("requestId")), [cookie].flat());
      });
    } else {
      const handler = handlers[name] as AnyRoute;
      app.on(method, path, async (context) => {
        const principal = await identify(context, routes[name].scope);
        assertRole(principal, roleOf(name));
        const requestId = context.get("requestId");
        const origin = context.req.header("origin");
        const request = { ...(await parse(context, name, options)), principal, requestId, origin };
        const value = await handler(request as unknown as RouteRequest<HandledRoute>);
        if (endsCredentials(name)) await options.onCredentialsEnd(context);
        if ("downloads" in api[name]) return toFile(value as Download, requestId);
        if (options.checkResponses) assertResponse(name, value);
        return toResponse(toJson(api[name].status, value, requestId));
      });
    }
  }
}

const isOpen = (name: RouteName): name is OpenRoute => routes[name].scope === null;

const toBrowser = (context: Context<Env>, { addressOf, cookies }: Options): Browser => ({
  https: cookies.isHttps(toRequestHead(context)),
  address: addressOf(context),
  agent: context.req.header("user-agent") ?? "",
  cookies: cookies.read(toRequestHead(context)),
  origin: context.req.header("origin"),
});

/** Calls handlers without HTTP, for the surfaces. Parses the input with the schemas of the route. */
export const createRouteCaller =
  (handlers: Handlers, newId: () => string): CallRoute =>
  async (principal, name, { params = {}, query = {}, body = {} }) => {
    const { scope } = routes[name];
    if (scope !== null) assertScope(principal, scope);
    assertRole(principal, roleOf(name));
    const schemas: { params: z.ZodObject; query: z.ZodObject; body: z.ZodObject | null } = api[name];
    const request = {
      ...{ principal, requestId: newId() },
      params: parseWith(schemas.params, params, "path"),
      query: parseWith(schemas.query, query, "query"),
      body: schemas.body === null ? undefined : parseWith(schemas.body, body, "body"),
    };
    const handler = handlers[name] as AnyRoute;
    return (await handler(request as unknown as RouteRequest<HandledRoute>)) as Answer<typeof name>;
  };

async function parse(context: Context<Env>, name: RouteName, { bodyTimeoutMs }: Options): Promise<ParsedInput> {
  const schemas: { params: z.ZodObject; query: z.ZodObject; body: z.ZodObject | null } = api[name];
  const params = parseWith(schemas.params, context.req.param(), "path");
  const query = parseWith(schemas.query, readQuery(context.req.url), "query");
  if (routes[name].method === "GET") return { params, query, body: undefined };
  const body = await readBody({ request: context.req.raw, incoming: context.env?.incoming, timeoutMs: bodyTimeoutMs });
  if (schemas.body === null) return { params, query, body: undefined };
  if (body === undefined) throw new ApiError("unsupported", "Send a JSON object as application/json.");
  return { params, query, body: parseWith(schemas.body, body, "body") };
}

function parseWith(schema: z.ZodObject, value: object, place: "body" | "query" | "path"): object {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw toInvalid(place, result.error);
}

function readQuery(url: string): Record<string, string> {
  const at = url.indexOf("?");
  if (at === -1) return {};
  const found = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(url.slice(at + 1))) {
    if (found.has(key)) throw new ApiError("invalid", `The query contains "${key.slice(0, 50)}" twice.`);
    found.set(key, value);
  }
  return Object.fromEntries(found);
}

function assertResponse(name: HandledRoute | OpenRoute, value: unknown): void {
  const { error } = api[name].response.safeParse(value);
  if (error) throw new Error(`The response of ${name} does not match its schema: ${error.message}`);
}
