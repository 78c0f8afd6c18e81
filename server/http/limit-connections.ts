import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type ConnectionLimits = {
  /** Maximum open connections of the server. Further ones are closed at once. */
  readonly connections: number;
  /** Maximum waiting pipelined requests per connection. With one more, the connection is closed. */
  readonly waiting: number;
  /** A connection that reads nothing of its response for this long is closed. */
  readonly stalledMs: number;
};

/** 10,000 streams of one user, and room for their other requests. */
export const connectionLimits: ConnectionLimits = { connections: 12_000, waiting: 64, stalledMs: 30_000 };

type Queue = { isBusy: boolean; readonly waiting: (readonly [IncomingMessage, ServerResponse])[] };

/**
 * Handles the requests of a connection one after another. The next is handled when the response before it has been handed
 * to the system, so a client that pipelines requests and reads nothing holds one response in memory, not all of them.
 */
export function createQueues(listener: Listener, { waiting: most }: Pick<ConnectionLimits, "waiting">) {
  const queues = new WeakMap<Socket, Queue>();

  const handle = (queue: Queue, request: IncomingMessage, response: ServerResponse): void => {
    queue.isBusy = true;
    response.once("close", () => {
      queue.isBusy = false;
      if (request.socket.destroyed) queue.waiting.length = 0;
      const next = queue.waiting.shift();
      if (next) handle(queue, ...next);
    });
    lingerAfter(request, response);
    listener(request, response);
  };

  return {
    isBusy: (socket: Socket): boolean => queues.get(socket)?.isBusy === true,
    listener: (request: IncomingMessage, response: ServerResponse): void => {
      let queue = queues.get(request.socket);
      if (!queue) queues.set(request.socket, (queue = { isBusy: false, waiting: [] }));
      if (!queue.isBusy) handle(queue, request, response);
      else if (queue.waiting.length < most) queue.waiting.push([request, response]);
      else request.socket.destroy();
    },
  };
}

/** How long the rest of a request body is read and dropped after the response, if the connection is to close. */
const LINGER_MS = 10_000;

/**
 * A response may be sent before the request body has arrived, for example when it is too large. Closing the connection then
 * would cause a reset while the client still sends, and the client might never read the response. So only the write side is
 * closed first.
 */
function lingerAfter(request: IncomingMessage, response: ServerResponse): void {
  // Before Node's own listener, which closes the connection.
  response.prependOnceListener("finish", () => {
    if (request.complete) return;
    const { socket } = request;
    const close = socket.destroySoon.bind(socket);
    let timer: NodeJS.Timeout | undefined;
    socket.destroySoon = () => {
      timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
      socket.end();
    };
    const settle = (): void => {
      clearTimeout(timer);
      socket.destroySoon = close;
      if (timer) close();
    };
    // On a keep-alive connection the rest is read within the request timeout.
    request.once("end", settle).once("close", settle).resume();
  });
}

/** Closes connections beyond the limit, idle ones, and those whose client does not read its response. */
export function limitConnections(
  server: Server,
  { connections, stalledMs }: ConnectionLimits,
  isBusy: (socket: Socket) => boolean,
): void {
  server.maxConnections = connections;
  // The socket timeout runs while no byte moves in either direction. A handler that is still working is not interrupted.
  server.setTimeout(stalledMs, (socket) => {
    if (!isBusy(socket) || socket.writableLength > 0) socket.destroy();
  });
}
