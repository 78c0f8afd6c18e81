import { connect } from "node:net";
import { createEventParser, type StreamEvent } from "../../support/server/event-stream.ts";

/** A thread's stream over a raw socket, so that it can be interrupted at any byte. */
export type RawStream = {
  readonly url: string;
  readonly threadId: string;
  /** The cursor; 0: from the beginning. */
  readonly after: number;
  /** Disconnect after this many bytes of the body. */
  readonly bytes?: number;
  /** Disconnect after such an event. */
  readonly last?: (event: StreamEvent) => boolean;
};

export type Cut = {
  readonly events: readonly StreamEvent[];
  readonly body: Uint8Array;
};

/** Resolves when its condition or the server has closed the connection. */
export function readRaw({ url, threadId, after, bytes = Number.POSITIVE_INFINITY, last }: RawStream): Promise<Cut> {
  const { hostname, port, host } = new URL(url);
  const path = `/api/threads/${threadId}/stream`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const events: StreamEvent[] = [];
    const pieces: Uint8Array[] = [];
    let head = Buffer.alloc(0);
    let [isBody, left] = [false, bytes];
    let isOver = false;
    const feed = createEventParser((event) => {
      events.push(event);
      isOver ||= last?.(event) ?? false;
    });
    const take = (piece: Uint8Array): void => {
      const taken = piece.subarray(0, Math.min(piece.length, left));
      left -= taken.length;
      pieces.push(taken);
      feed(taken);
      if (left <= 0 || isOver) socket.destroy();
    };
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nLast-Event-ID: ${after}\r\n\r\n`);
    socket.on("data", (piece) => {
      if (socket.destroyed) return;
      if (isBody) return take(piece);
      head = Buffer.concat([head, piece]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      if (!head.subarray(0, end).toString("latin1").startsWith("HTTP/1.1 200")) {
        reject(new Error(head.toString()));
        socket.destroy();
        return;
      }
      isBody = true;
      take(head.subarray(end + 4));
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ events, body: Buffer.concat(pieces) }));
  });
}
