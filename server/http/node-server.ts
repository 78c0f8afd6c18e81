import { createServer, type Server } from "node:http";
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
};

/** Node's HTTP server with timeouts for slow clients, and our error format where Node would respond itself. */
export function createNodeServer({ newId, logger, ...options }: Options): Server {
  const limits = { ...connectionLimits, ...options.limits };
  const { listener, isBusy } = createQueues(options.listener, limits);
  const server = createServer(
    {
      headersTimeout: 30_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 30_000,
      // The guard rejects a request without `Host`, with our error format.
      requireHostHeader: false,
    },
    listener,
  );
  server.on("checkExpectation", listener);
  limitConnections(server, limits, isBusy);
  // For example too many open files. The next connection may work again, so the server keeps running.
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
    // A keep-alive connection would stay open after its last response.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const end = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
