import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../protocol/errors.ts";
import { connectionLimits, createQueues, limitConnections, type Listener } from "./limit-connections.ts";
import { toErrorReply } from "./reply.ts";
import type { Logger } from "./route-types.ts";

type Options = {
  readonly listener: Listener;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly limits?: Partial<typeof connectionLimits>;
  /** Time limit for a request body. Default: `BODY_MS`. */
  readonly bodyMs?: number;
};

/** Time limit for a request body. Large uploads have `LARGE_FILE_MS`. */
const BODY_MS = 60_000;
const LARGE_FILE_MS = 2 * 60 * 60_000;

const connections = new WeakMap<Server, Set<Socket>>();

/** Node's HTTP server with timeouts for slow clients, and our error format where Node would respond itself. */
export function createNodeServer({ newId, logger, bodyMs = BODY_MS, ...options }: Options): Server {
  const limits = { ...connectionLimits, ...options.limits };
  const { listener, isBusy } = createQueues(options.listener, limits);
  const server = createServer(
    {
      headersTimeout: 30_000,
      requestTimeout: LARGE_FILE_MS,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 30_000,
      // The guard rejects a request without `Host`, with our error format.
      requireHostHeader: false,
    },
    listener,
  );
  server.on("request", (request: IncomingMessage, response: ServerResponse) => boundBody(request, response, bodyMs));
  server.on("checkExpectation", listener);
  const sockets = new Set<Socket>();
  connections.set(server, sockets);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  limitConnections(server, limits, isBusy);
  // Too many files may be open. The next connection may work again, so the server keeps running.
  server.on("error", (error) => logger.error({ err: error }, "The server could not accept a connection."));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // A response was already sent on this connection. More bytes would be read as part of it.
    if (!socket.writable || socket.bytesWritten > 0) return socket.destroy();
    // Browsers open connections in advance. An unused one is closed without a response, because the browser might take it for
    // the response to a request that it is just sending.
    if (socket.bytesRead === 0) return socket.destroy();
    const isTooLarge = error.code === "HPE_HEADER_OVERFLOW";
    const refusal = isTooLarge
      ? new ApiError("too-large", "The URL and headers are too large.")
      : new ApiError("invalid", "The request is not valid HTTP.");
    const { status, headers, body } = toErrorReply(refusal, newId(), logger);
    const lines = Object.entries({ ...headers, connection: "close", "content-length": Buffer.byteLength(body) });
    socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join("")}\r\n${String(body)}`);
    return undefined;
  });
  return server;
}

/** An import may take long to arrive. Its handler limits that time, until it has responded. */
function boundBody(request: IncomingMessage, response: ServerResponse, bodyMs: number): void {
  const { headers, method, url = "" } = request;
  if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, bodyMs).unref();
  };
  request.once("close", () => clearTimeout(timer));
  if (method === "POST" && /^\/api\/imports(\?|$)/.test(url)) response.once("finish", begin);
  else begin();
}

export const listen = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });

/** The URL to open in a browser on this machine. */
export function toUrl(host: string, port: number): string {
  const isEverywhere = host === "0.0.0.0" || host === "::" || host === "[::]";
  const name = isEverywhere ? "localhost" : host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Lets responses in progress finish for `graceMs`, then closes the remaining connections. */
export const closeServer = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => {
      // Idle keep-alive connections would delay the close.
      server.closeIdleConnections();
      // Node does not count a connection as idle that a browser opened in advance and never used.
      for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
    }, 20);
    const end = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
