import type { ServerResponse } from "node:http";
import { ApiError } from "../../protocol/errors.ts";
import type { StreamName } from "../../protocol/ids.ts";
import type { Row, Watch, Watcher } from "../log/types.ts";
import { securityHeaders } from "./reply.ts";

/**
 * Sends rows of the log as server-sent events, written directly to Node's response. An open stream costs one small record: no
 * timer, no queue. A client whose buffer is full gets nothing until it drains, and is disconnected if it stays full. It
 * reconnects with its cursor and misses nothing.
 */
export type Streams = {
  /** Starts streaming to an authorised client. */
  readonly attach: (response: ServerResponse, reader: StreamReader) => void;
  /** Sessions with open streams in this process. */
  readonly sessions: () => readonly string[];
  /** Closes the streams of an ended session. */
  readonly endSession: (session: string) => void;
  readonly counts: () => StreamCounts;
  readonly close: () => void;
};

type StreamReader = {
  readonly userId: string;
  readonly session?: string | undefined;
  readonly stream: StreamName;
  readonly after: number;
};

export type StreamCounts = { readonly open: number; readonly opened: number; readonly cut: number };

type StreamOptions = {
  readonly watch: Watch;
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. Node checks in intervals, so this can be twice as long. */
  readonly stalledMs: number;
  readonly streamsPerUser: number;
};

type OpenStream = {
  readonly response: ServerResponse;
  watcher: Watcher | undefined;
  isBlocked: boolean;
  isQuiet: boolean;
};

const headers = {
  ...securityHeaders,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
};
const heartbeat = ": \n\n";
const slots = 16;

export function createStreams({ watch, heartbeatMs, stalledMs, streamsPerUser }: StreamOptions): Streams {
  // Heartbeats rotate through slots, so that thousands of idle streams are not all written to at once.
  const wheel = Array.from({ length: slots }, () => new Set<OpenStream>());
  const openByUser = new Map<string, number>();
  const bySession = new Map<string, Set<OpenStream>>();
  let [opened, cut, turn] = [0, 0, 0];

  const beat = () => {
    for (const stream of wheel[turn++ % slots] ?? []) {
      if (stream.isQuiet && !stream.isBlocked) write(stream, heartbeat, stalledMs);
      stream.isQuiet = true;
    }
  };
  const timer = setInterval(beat, Math.max(1, heartbeatMs / slots)).unref();

  return {
    attach: (response, { userId, session, stream: name, after }) => {
      if (response.destroyed) return;
      const count = openByUser.get(userId) ?? 0;
      if (count >= streamsPerUser)
        throw new ApiError("busy", "Too many streams are open. Close some tabs and try again.");
      openByUser.set(userId, count + 1);
      const slot = wheel[opened++ % slots];
      const stream: OpenStream = { response, watcher: undefined, isBlocked: false, isQuiet: true };
      slot?.add(stream);
      const ofSession = session === undefined ? undefined : (bySession.get(session) ?? new Set());
      if (session !== undefined && ofSession) bySession.set(session, ofSession.add(stream));
      response.once("close", () => {
        slot?.delete(stream);
        ofSession?.delete(stream);
        if (session !== undefined && ofSession?.size === 0) bySession.delete(session);
        const left = (openByUser.get(userId) ?? 1) - 1;
        if (left === 0) openByUser.delete(userId);
        else openByUser.set(userId, left);
        stream.watcher?.close();
      });
      response.on("timeout", () => {
        cut += 1;
        response.destroy();
      });
      response.on("drain", () => {
        if (!stream.isBlocked) return;
        stream.isBlocked = false;
        response.socket?.setTimeout(0);
        stream.watcher?.resume();
      });
      begin(response);
      stream.watcher = watch(name, after, { rows: (rows) => write(stream, toEvents(rows), stalledMs) });
      // The response was closed during `watch`, before the close listener could see the watcher.
      if (response.destroyed) stream.watcher.close();
    },
    sessions: () => [...bySession.keys()],
    endSession: (session) => {
      for (const stream of bySession.get(session) ?? []) {
        stream.watcher?.close();
        stream.response.destroy();
      }
    },
    counts: () => ({ open: wheel.reduce((sum, slot) => sum + slot.size, 0), opened, cut }),
    close: () => {
      clearInterval(timer);
      for (const slot of wheel) for (const stream of slot) stream.response.end();
    },
  };
}

/** The stream ends by closing the connection. Chunked encoding would need three writes for each of ours. */
function begin(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  // A stream may be idle. Its timeout runs only while the client's buffer is full.
  response.socket?.setTimeout(0);
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, headers);
  response.write(heartbeat);
}

/** Returns false if the client's buffer is full, and then starts its timeout. */
function write(stream: OpenStream, text: string, stalledMs: number): boolean {
  const { response } = stream;
  if (response.destroyed || response.writableEnded) return false;
  stream.isQuiet = false;
  if (response.write(text)) return true;
  stream.isBlocked = true;
  response.socket?.setTimeout(stalledMs);
  return false;
}

/** Exported for its property test: each row stays one event, with any body. */
export function toEvents(rows: readonly Row[]): string {
  let text = "";
  for (const { seq, body } of rows) text += `id: ${seq}\ndata: ${toLine(body)}\n\n`;
  return text;
}

/** Line breaks in JSON occur only between tokens. In an event they would start another field. */
const toLine = (body: string): string =>
  body.includes("\n") || body.includes("\r") ? body.replace(/[\r\n]+/g, " ") : body;

/**
 * The cursor of a request. `Last-Event-ID` overrides `?after=`, because a browser reconnects with the original URL and sends
 * its position in the header. Without both: from the beginning.
 */
export function toCursor(lastEventId: string | undefined, after: string | null): number {
  const given = lastEventId || (after ?? "0");
  const cursor = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(cursor)) return cursor;
  throw new ApiError("invalid", "The cursor must be the seq of the last received event, or 0 for none.");
}
