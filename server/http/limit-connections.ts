import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type ConnectionLimits = {
  /** Open connections of the whole server. More are closed as they come. */
  readonly connections: number;
  /** Pipelined requests of one connection that wait for their turn. One more, and the connection is cut. */
  readonly waiting: number;
  /** A connection that takes none of its response for this long is cut. */
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

/** For so long the rest of a body is read and dropped after the answer, where the connection is to close. */
const LINGER_MS = 10_000;

/**
 * An answer may be sent before the body has come, a refusal for its size above all. A connection closed then would be reset by what the
 * client still sends, and the client might never read the answer. So it is closed for writing first.
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
    // On a connection that stays open, the rest is read for as long as a request may take.
    request.once("end", settle).once("close", settle).resume();
  });
}

/** Cuts connections beyond the limit, idle ones, and those whose response waits for a client that does not read. */
export function limitConnections(
  server: Server,
  { connections, stalledMs }: ConnectionLimits,
  isBusy: (socket: Socket) => boolean,
): void {
  server.maxConnections = connections;
  // The clock of a socket runs while no byte moves in either direction. A handler that is still working is left alone.
  server.setTimeout(stalledMs, (socket) => {
    if (!isBusy(socket) || socket.writableLength > 0) socket.destroy();
  });
}
