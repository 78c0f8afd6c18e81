import type { Context, Hono } from "hono";
import { ApiError } from "../../../protocol/errors.ts";
import type { McpSurface } from "../../surfaces/mcp/surface.ts";
import type { Env, Identify } from "../api-routes.ts";
import { readBody } from "../body.ts";
import { securityHeaders } from "../reply.ts";

type Options = {
  readonly mcp: McpSurface;
  readonly identify: Identify;
  readonly bodyTimeoutMs: number;
};

/** The MCP server at `/mcp`. Bodies and replies are those of the protocol; credentials and limits are Stonechat's. */
export function addMcpRoutes(app: Hono<Env>, { mcp, identify, bodyTimeoutMs }: Options): void {
  const answer = async (context: Context<Env>): Promise<Response> => {
    const principal = await identify(context, "read");
    const { raw } = context.req;
    const source = { request: raw, incoming: context.env?.incoming, timeoutMs: bodyTimeoutMs };
    const body = raw.method === "POST" ? await readBody(source).catch(toRpcError) : undefined;
    if (body instanceof Response) return body;
    const { url, method } = raw;
    const request = new Request(url, { method, headers: raw.headers, signal: toSignal(context) });
    const response = await mcp.fetch(request, { principal, body });
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value);
    headers.set("cache-control", "no-store");
    headers.set("x-request-id", context.get("requestId"));
    return new Response(response.body, { status: response.status, headers });
  };
  app.post("/mcp", answer);
  // Clients of 2025 try to open a stream here. The answer is 405: there are no sessions.
  app.get("/mcp", answer);
}

/** A body that is no JSON object, such as a batch, which MCP does not have since 2025-06-18. */
function toRpcError(error: unknown): Response {
  if (!(error instanceof ApiError) || error.code !== "invalid") throw error;
  const body = { jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message: error.message } };
  return Response.json(body, { status: 400, headers: { ...securityHeaders, "cache-control": "no-store" } });
}

const INVALID_REQUEST = -32_600;

/** Aborted when the client has left: Node's response closes early or after its end. */
function toSignal({ env }: Context<Env>): AbortSignal {
  const controller = new AbortController();
  env?.outgoing?.once("close", () => controller.abort());
  return controller.signal;
}
