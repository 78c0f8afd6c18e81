import { z } from "zod";

/** How an MCP server is, for the person whose tools it offers. */
export const ServerStatus = z.object({
  server: z.string(),
  kind: z.enum(["stdio", "http"]),
  state: z.string(),
  why: z.string().optional(),
  tools: z.array(z.object({ tool: z.string(), title: z.string(), changed: z.boolean() })),
  /** Tools that changed since they were first used: not called until the person has seen how. */
  changes: z.array(
    z.object({
      tool: z.string(),
      hash: z.string(),
      lines: z.array(z.object({ sign: z.string(), text: z.string() })),
    }),
  ),
  problems: z.array(z.string()),
});
export type ServerStatus = z.infer<typeof ServerStatus>;

const none = z.object({});
const Name = z.string().regex(/^[\w-]{1,64}$/, "the name of a server is letters, digits, - and _");
const server = z.object({ server: Name });
const done = { status: 200, response: z.object({ servers: z.array(ServerStatus) }) } as const;

export const serverApi = {
  listServers: { summary: "MCP servers and their tools", params: none, query: none, body: null, ...done },
  addServer: {
    summary: "Add an MCP server by its address, for yourself",
    params: none,
    query: none,
    body: z.object({ name: Name, url: z.string().min(1).max(2000) }).strict(),
    ...done,
  },
  removeServer: { summary: "Remove a server that you added", params: server, query: none, body: null, ...done },
  acceptTool: {
    summary: "You have seen how a tool changed, and it may be called again",
    params: server,
    query: none,
    body: z.object({ tool: z.string().min(1).max(200), hash: z.string().min(1).max(200) }).strict(),
    ...done,
  },
  signInToServer: {
    summary: "The address at which you sign in to a server",
    params: server,
    query: none,
    body: none,
    status: 200,
    response: z.object({ url: z.string() }),
  },
  finishSignIn: {
    summary: "Where an authorization server sends the browser back to",
    params: none,
    query: z.object({ state: z.string().min(1).max(4000), code: z.string().min(1).max(4000) }),
    body: null,
    ...done,
  },
  signOutOfServer: {
    summary: "Forget your sign-in to a server",
    params: server,
    query: none,
    body: none,
    ...done,
  },
} as const;
