import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/**
 * An MCP server over HTTP and an authorization server on the same loopback port. `way` says how it answers calls; all requests
 * are counted.
 */
export type HttpServer = {
  readonly url: string;
  readonly origin: string;
  /** Method and path of each request, with the JSON-RPC method where there is one. */
  readonly visits: string[];
  /** Headers of the requests to the authorization server. */
  readonly otherHeaders: Record<string, string | string[] | undefined>[];
  /** Headers of the requests to the MCP endpoint. */
  readonly headers: Record<string, string | string[] | undefined>[];
  /** Currently valid codes and tokens. */
  readonly valid: { access: Set<string>; refresh: Set<string>; codes: Map<string, string> };
  readonly counts: { registered: number; refreshed: number; refusedRefreshes: number; sessions: number };
  way: Way;
};

export type Way =
  | "works"
  | "streams"
  | "cuts the stream"
  | "ends the stream"
  | "breaks the connection"
  | "sends 100 MB"
  | "streams 100 MB"
  | "floods the stream"
  | "answers with a page"
  | "answers in gzip"
  | "fails with 500"
  | "redirects elsewhere"
  | "forgets the session"
  | "hangs";

type Options = {
  readonly signIn?: boolean;
  readonly elsewhere?: string;
  readonly authorizationServer?: string;
  /** Its host name: `localhost` and 127.0.0.1 are different sites. */
  readonly name?: "127.0.0.1" | "localhost";
};

export async function startHttpServer({
  signIn = false,
  elsewhere = "",
  authorizationServer,
  name = "127.0.0.1",
}: Options = {}): Promise<HttpServer> {
  const valid: HttpServer["valid"] = { access: new Set(), refresh: new Set(), codes: new Map() };
  const counts = { registered: 0, refreshed: 0, refusedRefreshes: 0, sessions: 0 };
  const sessions = new Set<string>();
  let serial = 0;

  const web = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", world.origin);
      const body = await readBody(request);
      const message = body.startsWith("{") ? (JSON.parse(body) as Message) : {};
      world.visits.push([request.method, url.pathname, message.method].filter(Boolean).join(" "));
      if (url.pathname !== "/mcp") {
        world.otherHeaders.push(request.headers);
        return authorize(url, body, response);
      }
      world.headers.push(request.headers);
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      if (signIn && !valid.access.has(token)) {
        const where = `Bearer resource_metadata="${world.origin}/.well-known/oauth-protected-resource/mcp"`;
        return response.writeHead(401, { "www-authenticate": where }).end();
      }
      if (request.method === "DELETE") return response.writeHead(200).end();
      // Asks to reconnect at once and sends nothing else, so an obedient client would loop forever.
      if (request.method === "GET") return response.writeHead(200, asStream).end("retry: 0\n\n");
      return speak(message, request, response);
    })();
  });

  const speak = (message: Message, request: IncomingMessage, response: ServerResponse): void => {
    const { id, method } = message;
    const answer = (result: object, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "initialize") {
      const session = `session-${(counts.sessions += 1)}`;
      sessions.add(session);
      const serverInfo = { name: "web", version: "1" };
      return answer(
        { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
        { "mcp-session-id": session },
      );
    }
    if (!sessions.has(String(request.headers["mcp-session-id"]))) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "ping") return answer({});
    if (method === "tools/list") {
      const inputSchema = { type: "object", properties: { text: { type: "string" } } };
      return answer({ tools: [{ name: "echo", description: "says it again", inputSchema }] });
    }
    if (world.way === "forgets the session") {
      world.way = "works";
      sessions.clear();
      return void response.writeHead(404).end();
    }
    return callWays[world.way](message, response, elsewhere);
  };

  const authorize = (url: URL, body: string, response: ServerResponse): void => {
    const reply = (value: object, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    const { origin } = world;
    if (!signIn) return void response.writeHead(404).end();
    if (url.pathname === "/.well-known/oauth-protected-resource/mcp")
      return reply({ resource: `${origin}/mcp`, authorization_servers: [authorizationServer ?? origin] });
    if (url.pathname === "/.well-known/oauth-authorization-server")
      return reply({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    // A page of this site on which the user agrees at once, as if by a click.
    if (url.pathname === "/authorize") {
      const next = `/agree${url.search}`.replaceAll("&", "&amp;");
      const page = `<!doctype html><meta http-equiv="refresh" content="0;url=${next}"><p>Do you agree?`;
      return void response.writeHead(200, { "content-type": "text/html" }).end(page);
    }
    if (url.pathname === "/agree") {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      const { state, code } = agree(world, url.href);
      back.search = String(new URLSearchParams({ code, state, iss: origin }));
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === "/register")
      return reply({ ...(JSON.parse(body) as object), client_id: `client-${(counts.registered += 1)}` }, 201);
    if (url.pathname !== "/token") return void response.writeHead(404).end();
    const form = new URLSearchParams(body);
    if (form.get("grant_type") === "refresh_token") {
      if (!valid.refresh.delete(form.get("refresh_token") ?? "")) {
        counts.refusedRefreshes += 1;
        return reply({ error: "invalid_grant" }, 400);
      }
      counts.refreshed += 1;
      return reply(issue());
    }
    const challenge = valid.codes.get(form.get("code") ?? "");
    valid.codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return challenge === proof ? reply(issue()) : reply({ error: "invalid_grant" }, 400);
  };

  const issue = (): object => {
    const [access, refresh] = [`access-token-${(serial += 1)}`, `refresh-token-${serial}`];
    valid.access.add(access);
    valid.refresh.add(refresh);
    return { access_token: access, refresh_token: refresh, token_type: "bearer", expires_in: 3600 };
  };

  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  const origin = `http://${name}:${(web.address() as AddressInfo).port}`;
  const world: HttpServer = {
    url: `${origin}/mcp`,
    origin,
    visits: [],
    headers: [],
    otherHeaders: [],
    valid,
    counts,
    way: "works",
  };
  onTestFinished(async () => {
    web.closeAllConnections();
    web.close();
    await once(web, "close");
  });
  return world;
}

/** Simulates the user's consent in the browser, which returns a code. */
export function agree(server: HttpServer, address: string): { readonly state: string; readonly code: string } {
  const { searchParams } = new URL(address);
  const code = `code-${server.valid.codes.size + 1}`;
  server.valid.codes.set(code, searchParams.get("code_challenge") ?? "");
  return { state: searchParams.get("state") ?? "", code };
}

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly text?: string }; readonly _meta?: { progressToken?: number } };
};
type Answer = (message: Message, response: ServerResponse, elsewhere: string) => void;

const toResult = ({ id, params }: Message, text = params?.arguments?.text): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: String(text) }] } });
const asJson = { "content-type": "application/json" };
const asStream = { "content-type": "text/event-stream" };
const big = (): string => "x".repeat(1_000_000);

const callWays: Readonly<Record<Way, Answer>> = {
  works: (message, response) => void response.writeHead(200, asJson).end(toResult(message)),
  "forgets the session": (message, response) => void response.writeHead(200, asJson).end(toResult(message)),
  streams: (message, response) => {
    const progressToken = message.params?._meta?.progressToken;
    const notification = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } };
    response.writeHead(200, asStream).write(`data: ${JSON.stringify(notification)}\n\n`);
    response.end(`data: ${toResult(message)}\n\n`);
  },
  "cuts the stream": (_, response) => {
    response.writeHead(200, asStream).write("data: {", () => response.destroy());
  },
  "ends the stream": (_, response) => void response.writeHead(200, asStream).end(": nothing\n\n"),
  "breaks the connection": (_, response) => void response.destroy(),
  "sends 100 MB": (_, response) => {
    response.writeHead(200, asJson);
    for (let count = 0; count < 100; count += 1) response.write(big());
    response.end();
  },
  "streams 100 MB": (_, response) => {
    response.writeHead(200, asStream).write("data: ");
    for (let count = 0; count < 100; count += 1) response.write(big());
    response.end();
  },
  "floods the stream": (_, response) => {
    const notification = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}\n\n`;
    response.writeHead(200, asStream);
    const pour = (): void => {
      while (!response.destroyed && response.write(notification.repeat(1000)));
      response.once("drain", pour);
    };
    pour();
  },
  "answers with a page": (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
  "answers in gzip": (message, response) =>
    void response.writeHead(200, { ...asJson, "content-encoding": "gzip" }).end(gzipSync(toResult(message))),
  "fails with 500": (_, response) => void response.writeHead(500).end("stack trace with secrets"),
  "redirects elsewhere": (_, response, elsewhere) => void response.writeHead(307, { location: elsewhere }).end(),
  hangs: () => {},
};

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
