import { z } from "zod";
import { Headers } from "./settings/providers.ts";

/** Status of an MCP server, for the user. */
export const ServerStatus = z.object({
  server: z.string(),
  kind: z.enum(["stdio", "http"]),
  state: z.string(),
  why: z.string().optional(),
  /** Names of the headers that you entered. Their values are never returned. */
  headers: z.array(z.string()).optional(),
  tools: z.array(z.object({ tool: z.string(), title: z.string(), changed: z.boolean() })),
  /** Tools that changed since their first use. They are not called until the user accepts the change. */
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

const ServerPrompt = z.object({
  server: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  arguments: z.array(z.object({ name: z.string(), required: z.boolean() })),
});

const none = z.object({});
const Name = z.string().regex(/^[\w-]{1,64}$/, "a server name consists of letters, digits, - and _");
const server = z.object({ server: Name });
const done = { status: 200, response: z.object({ servers: z.array(ServerStatus) }) } as const;

export const serverApi = {
  listServers: { summary: "MCP servers and their tools", params: none, query: none, body: null, ...done },
  addServer: {
    summary: "Add an MCP server by its URL, for your account",
    params: none,
    query: none,
    body: z
      .object({
        name: Name,
        url: z.string().min(1).max(2000),
        /** Headers such as keys, stored encrypted and sent only to this server's origin. */
        headers: Headers.optional(),
      })
      .strict(),
    ...done,
  },
  removeServer: { summary: "Remove a server that you added", params: server, query: none, body: null, ...done },
  listServerPrompts: {
    summary: "Prompts that your MCP servers offer",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ prompts: z.array(ServerPrompt) }),
  },
  fillServerPrompt: {
    summary: "The text of a server's prompt with its arguments, to be shown before it is sent",
    params: server,
    query: none,
    body: z
      .object({ name: z.string().min(1).max(200), arguments: z.record(z.string().max(60), z.string().max(10_000)) })
      .strict(),
    status: 200,
    response: z.object({ text: z.string() }),
  },
  acceptTool: {
    summary: "Accept a changed tool, so that it can be called again",
    params: server,
    query: none,
    body: z.object({ tool: z.string().min(1).max(200), hash: z.string().min(1).max(200) }).strict(),
    ...done,
  },
  signInToServer: {
    summary: "Get the URL for signing in to a server",
    params: server,
    query: none,
    body: none,
    status: 200,
    response: z.object({ url: z.string() }),
  },
  finishSignIn: {
    summary: "OAuth callback to which the authorization server redirects the browser",
    params: none,
    query: z.object({
      state: z.string().min(1).max(4000),
      code: z.string().min(1).max(4000),
      iss: z.string().max(2000).optional(),
    }),
    body: null,
    ...done,
  },
  signOutOfServer: {
    summary: "Sign out of a server",
    params: server,
    query: none,
    body: none,
    ...done,
  },
} as const;
