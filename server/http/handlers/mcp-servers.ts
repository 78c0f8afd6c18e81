import type { ServerStatus } from "../../../protocol/mcp-servers.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import type { Handlers } from "../route-types.ts";

type ServerRoute =
  | "listServers"
  | "addServer"
  | "removeServer"
  | "acceptTool"
  | "signInToServer"
  | "finishSignIn"
  | "signOutOfServer";

/** Everyone has their own servers beside the operator's; each act answers with how they all are now. */
export function createMcpServerHandlers(mcp: McpServers): Pick<Handlers, ServerRoute> {
  const list = async (userId: string): Promise<{ servers: ServerStatus[] }> => ({
    servers: (await mcp.status(userId)).map(({ changes, tools, problems, ...status }) => ({
      ...status,
      tools: [...tools],
      problems: [...problems],
      changes: changes.map(({ tool, hash, lines }) => ({ tool, hash, lines: [...lines] })),
    })),
  });
  return {
    listServers: ({ principal }) => list(principal.userId),
    addServer: async ({ principal: { userId }, body }) => {
      await mcp.add(userId, body);
      return list(userId);
    },
    removeServer: async ({ principal: { userId }, params }) => {
      await mcp.remove(userId, params.server);
      return list(userId);
    },
    acceptTool: async ({ principal: { userId }, params, body }) => {
      await mcp.accept(userId, params.server, body.tool, body.hash);
      return list(userId);
    },
    signInToServer: async ({ principal, params }) => ({ url: await mcp.signIn(principal.userId, params.server) }),
    finishSignIn: async ({ principal: { userId }, query }) => {
      await mcp.finishSignIn(userId, query);
      return list(userId);
    },
    signOutOfServer: async ({ principal: { userId }, params }) => {
      await mcp.signOut(userId, params.server);
      return list(userId);
    },
  };
}
