import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { api, type Params, type Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { routes, type RouteName } from "../../protocol/routes.ts";
import type { Authentication } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import { readBody } from "./body.ts";
import type { Download } from "../account/export.ts";
import { toFile, toInvalid, toJson, toResponse } from "./reply.ts";
import type { HandledRoute, Handlers, OpenRoute, RouteRequest } from "./route-types.ts";

export type Env = { Bindings: Partial<HttpBindings>; Variables: { requestId: string } };

type Options = {
  readonly handlers: Handlers;
  readonly authentication: Authentication;
  readonly identify: (context: Context<Env>) => Promise<Principal>;
  readonly addressOf: (context: Context<Env>) => string;
  /** Called when a session was ended, to close its streams. */
  readonly onSessionEnd: (session: string) => void;
  readonly bodyTimeoutMs: number;
  /** The shared thread of a link. Needs no authentication. */
  readonly openShared: (token: string, address: string) => Promise<Answer<"getShared">>;
  /** For tests: a response that does not match its schema is a bug. */
  readonly checkResponses: boolean;
};

type Parsed = { readonly params: object; readonly query: object; readonly body: object | undefined };
type AnyRoute = (request: RouteRequest<HandledRoute>) => Promise<unknown>;

/** Registers every route of the route table: authenticate, parse, handle. */
export function addApiRoutes(app: Hono<Env>, options: Options): void {
  const { handlers, authentication, identify } = options;
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    if (name === "signIn") {
      app.on(method, path, async (context) => {
        const { body } = await parse(context, name, options);
        const https = context.req.header("origin")?.startsWith("https:") ?? false;
        const browser = { https, address: options.addressOf(context) };
        const { principal, cookie } = await authentication.signIn((body as { token: string }).token, browser);
        return toResponse(toJson(200, { userId: principal.userId }, context.get("requestId")), [cookie]);
      });
    } else if (name === "signOut") {
      app.on(method, path, async (context) => {
        await parse(context, name, options);
        const { cookies, ended } = await authentication.signOut(context.req.header("cookie"));
        for (const session of ended) options.onSessionEnd(session);
        return toResponse(toJson(200, {}, context.get("requestId")), cookies);
      });
    } else if (name === "getShared") {
      app.on(method, path, async (context) => {
        const { params } = await parse(context, name, options);
        const value = await options.openShared((params as Params<"getShared">).token, options.addressOf(context));
        if (options.checkResponses) assertResponse(name, value);
        return toResponse(toJson(200, value, context.get("requestId")));
      });
    } else {
      const answer = handlers[name] as AnyRoute;
      app.on(method, path, async (context) => {
        const principal = await identify(context);
        const requestId = context.get("requestId");
        const request = { ...(await parse(context, name, options)), principal, requestId };
        const value = await answer(request as unknown as RouteRequest<HandledRoute>);
        if ("downloads" in api[name]) return toFile(value as Download, requestId);
        if (options.checkResponses) assertResponse(name, value);
        return toResponse(toJson(api[name].status, value, requestId));
      });
    }
  }
}

async function parse(context: Context<Env>, name: RouteName, { bodyTimeoutMs }: Options): Promise<Parsed> {
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
