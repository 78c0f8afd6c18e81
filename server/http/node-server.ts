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

/** Node's server with times for everything a client could drag out, and our refusals where Node would answer by itself. */
export function createNodeServer({ newId, logger, ...options }: Options): Server {
  const limits = { ...connectionLimits, ...options.limits };
  const { listener, isBusy } = createQueues(options.listener, limits);
  const server = createServer(
    {
      headersTimeout: 30_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 30_000,
      // A request without `Host` is refused by us, in the shape of every refusal.
      requireHostHeader: false,
    },
    listener,
  );
  server.on("checkExpectation", listener);
  limitConnections(server, limits, isBusy);
  // Too many open files, for instance: the next connection may work again, so it is no reason to end.
  server.on("error", (error) => logger.error({ err: error }, "the server could not take a connection"));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    // Something was already answered on this connection: more bytes would be read as part of that answer.
    if (!socket.writable || socket.bytesWritten > 0) return socket.destroy();
    // Browsers open connections ahead. One that was never used is closed in silence: an answer would be taken for the answer
    // to the request that the browser sends on it in this very moment.
    if (socket.bytesRead === 0) return socket.destroy();
    const isTooLarge = error.code === "HPE_HEADER_OVERFLOW";
    const refusal = isTooLarge
      ? new ApiError("too-large", "The address and headers are too large.")
      : new ApiError("invalid", "This is not a request that can be read.");
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

/** The address to open in a browser on this machine. */
export function toUrl(host: string, port: number): string {
  const isEverywhere = host === "0.0.0.0" || host === "::" || host === "[::]";
  const name = isEverywhere ? "localhost" : host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Lets answers in progress finish for `graceMs`, then closes what is left. */
export const closeServer = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    // A connection whose answer has ended would stay open for the next request, which will not come.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const end = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
