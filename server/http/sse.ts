import type { ServerResponse } from "node:http";
import { ApiError } from "../../protocol/errors.ts";
import type { StreamName } from "../../protocol/ids.ts";
import type { Row, Watch, Watcher } from "../log/types.ts";
import { securityHeaders } from "./reply.ts";

/**
 * Rows of the log as server-sent events, written straight to Node's response. What an open stream costs here is one small
 * record: no timer, no queue. A reader that is full gets nothing more until it drains, and one that stays full is cut; it
 * comes back with its cursor and misses nothing.
 */
export type Streams = {
  /** Takes over a response whose reader has been authorised. */
  readonly attach: (response: ServerResponse, reader: StreamReader) => void;
  /** The sessions that have streams open here. */
  readonly sessions: () => readonly string[];
  /** Cuts the streams of a session that is over: nothing more is sent on them. */
  readonly endSession: (session: string) => void;
  readonly counts: () => StreamCounts;
  readonly close: () => void;
};

export type StreamReader = {
  readonly userId: string;
  readonly session?: string | undefined;
  readonly stream: StreamName;
  readonly after: number;
};

export type StreamCounts = { readonly open: number; readonly opened: number; readonly cut: number };

export type StreamOptions = {
  readonly watch: Watch;
  readonly heartbeatMs: number;
  /** A reader that took nothing in for this long is cut. Node looks twice, so it takes up to two of them. */
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
  // Heartbeats go round in slots, so that thousands of idle streams are not all written to in the same instant.
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
      if (count >= streamsPerUser) throw new ApiError("busy", "Too many streams are open. Close some and try again.");
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
      // Closed while the log was asked: the listener above came too early to see the watcher.
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

/** Ended by closing the connection, not by chunks: a chunk would cost three writes for each of ours. */
function begin(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  // A stream may be silent; its clock runs only while its reader is full.
  response.socket?.setTimeout(0);
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, headers);
  response.write(heartbeat);
}

/** False when the reader is full; only then does a clock run for it. */
function write(stream: OpenStream, text: string, stalledMs: number): boolean {
  const { response } = stream;
  if (response.destroyed || response.writableEnded) return false;
  stream.isQuiet = false;
  if (response.write(text)) return true;
  stream.isBlocked = true;
  response.socket?.setTimeout(stalledMs);
  return false;
}

/** Exported for its property: whatever a body holds, it stays one event. */
export function toEvents(rows: readonly Row[]): string {
  let text = "";
  for (const { seq, body } of rows) text += `id: ${seq}\ndata: ${toLine(body)}\n\n`;
  return text;
}

/** A line break in JSON can only stand between its tokens; in an event it would begin another field. */
const toLine = (body: string): string =>
  body.includes("\n") || body.includes("\r") ? body.replace(/[\r\n]+/g, " ") : body;

/**
 * The cursor of a request. `Last-Event-ID` wins over `?after=`: a browser that reconnects repeats the address it was first
 * given and says in the header how far it came. Neither: from the beginning.
 */
export function toCursor(lastEventId: string | undefined, after: string | null): number {
  const given = lastEventId || (after ?? "0");
  const cursor = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(cursor)) return cursor;
  throw new ApiError("invalid", "A cursor is the number of the last event seen: a whole number, 0 for none.");
}
