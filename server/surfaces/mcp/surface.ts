import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import type { SurfaceOptions } from "./request.ts";

export type { CallableRoute, CallRoute, RouteInput } from "./request.ts";

/** The MCP server of this instance. */
export type McpSurface = {
  /** `body`: the parsed JSON of a POST request. */
  readonly fetch: (
    request: Request,
    caller: { readonly principal: Principal; readonly body?: unknown },
  ) => Promise<Response>;
  /** Ends the calls of current clients. Calls of clients from 2025 end with their connections. Runs continue. */
  readonly close: () => Promise<void>;
};

export function createMcpSurface(options: SurfaceOptions): McpSurface {
  // Loaded on first use: the SDK is slow to load.
  let handler: Promise<McpHttpHandler> | undefined;
  const open = (): Promise<McpHttpHandler> =>
    (handler ??= import("./serve-request.ts").then(({ createHandler }) => createHandler(options)));
  return {
    fetch: async (request, { principal, body }) => {
      const authInfo = { token: "", clientId: principal.userId, scopes: [], extra: { principal } };
      const { fetch } = await open();
      return fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) });
    },
    close: async () => (await handler)?.close(),
  };
}
