import type { ServerResponse } from "node:http";
import { ApiError } from "../../protocol/errors.ts";
import type { StreamName } from "../../protocol/ids.ts";
import type { Row, Watch, Watcher } from "../log/types.ts";
import { securityHeaders } from "./reply.ts";

/**
 * Sends rows of the log as server-sent events, written directly to Node's response. An open stream costs one small record: no
 * timer, no queue. A client whose buffer is full gets nothing until it drains, and is disconnected if it stays full. It
 * reconnects with its cursor and misses nothing. The same happens now and then to an idle client, because the operating system
 * takes many heartbeats for a client that can no longer be reached.
 */
export type Streams = {
  /** Starts streaming to an authorized client. */
  readonly attach: (response: ServerResponse, reader: StreamReader) => void;
  /** Closes this response, too, when its session or key ends. For responses that may take long but are not attached. */
  readonly track: (response: ServerResponse, session: string) => void;
  /** Sessions and API keys with open streams and responses in this process, by hash. */
  readonly sessions: () => readonly string[];
  /** Closes the streams and responses of an ended session or key, except the response that reports its end. */
  readonly endSession: (session: string, except?: ServerResponse) => void;
  /** Readers of the open streams of this process. */
  readonly readers: () => readonly StreamAccess[];
  /** Closes the streams of a user who lost access to them. */
  readonly endReader: (reader: StreamAccess) => void;
  /** Sends an event that is not stored to the readers of a stream who asked for such events, except those whose buffer is full. */
  readonly publish: (stream: StreamName, event: string, data: object) => void;
  /** This response was closed by the end of its session or key, and not by its client. */
  readonly wasCut: (response: ServerResponse) => boolean;
  readonly counts: () => StreamCounts;
  readonly close: () => void;
};

export type StreamAccess = { readonly userId: string; readonly stream: StreamName };

type StreamReader = {
  readonly userId: string;
  /** Hash of the session or API key. */
  readonly session?: string | undefined;
  readonly stream: StreamName;
  readonly after: number;
  /** Whether the client asked for events that are not stored. */
  readonly presence?: boolean;
  /** Set for a protocol of other programs. */
  readonly format?: StreamFormat | undefined;
};

/** Turns rows into the events of another protocol, whose streams have an end. */
export type StreamFormat = {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent before the first rows. */
  readonly first: string;
  readonly toText: (rows: readonly Row[]) => string;
  /** The stream is complete and is closed. */
  readonly isDone: () => boolean;
  /** The stream is cut, as if the connection was lost. */
  readonly isBroken: () => boolean;
};

export type StreamCounts = { readonly open: number; readonly opened: number; readonly cut: number };

type StreamOptions = {
  readonly watch: Watch;
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. Node checks in intervals, so this can be twice as long. */
  readonly stalledMs: number;
  /** A stream of ours that is older is ended when it is idle. */
  readonly lifeMs?: number;
  readonly streamsPerUser: number;
};

const LIFE_MS = 15 * 60_000;

type OpenStream = {
  readonly access: StreamAccess;
  readonly response: ServerResponse;
  readonly format: StreamFormat | undefined;
  readonly isChunked: boolean;
  readonly presence: boolean;
  watcher: Watcher | undefined;
  isBlocked: boolean;
  isQuiet: boolean;
  /** Heartbeats that were due. */
  beats: number;
};

const headers = {
  ...securityHeaders,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
};
const heartbeat = ": \n\n";
const slots = 16;

export function createStreams(options: StreamOptions): Streams {
  const { watch, heartbeatMs, stalledMs, streamsPerUser, lifeMs = LIFE_MS } = options;
  const mostBeats = Math.ceil(lifeMs / heartbeatMs);
  // Heartbeats rotate through slots, so that thousands of idle streams are not all written to at once.
  const wheel = Array.from({ length: slots }, () => new Set<OpenStream>());
  const openByUser = new Map<string, number>();
  const bySession = new Map<string, Map<ServerResponse, () => void>>();
  const cutBySession = new WeakSet<ServerResponse>();
  let [opened, cut, turn] = [0, 0, 0];

  const keepAlive = (stream: OpenStream): void => {
    const { response, format, watcher, isQuiet, beats } = stream;
    // Less than a full buffer, which no `drain` will report.
    if (response.writableLength > 0) {
      if (!response.socket?.timeout) response.socket?.setTimeout(stalledMs);
      return;
    }
    response.socket?.setTimeout(0);
    if (!isQuiet) return;
    if (format || beats < mostBeats) return void write(stream, heartbeat, stalledMs);
    watcher?.close();
    response.end();
  };
  const beat = () => {
    for (const stream of wheel[turn++ % slots] ?? []) {
      stream.beats += 1;
      if (!stream.isBlocked) keepAlive(stream);
      stream.isQuiet = true;
    }
  };
  const timer = setInterval(beat, Math.max(1, heartbeatMs / slots)).unref();

  /** `stop` ends a response at once; its `close` event comes later. */
  const track = (response: ServerResponse, session: string, stop = (): void => {}): void => {
    const open = bySession.get(session) ?? new Map<ServerResponse, () => void>();
    bySession.set(session, open.set(response, stop));
    response.once("close", () => {
      open.delete(response);
      if (open.size === 0 && bySession.get(session) === open) bySession.delete(session);
    });
  };

  return {
    attach: (response, { userId, session, stream: name, after, format, presence = false }) => {
      if (response.destroyed) return;
      const count = openByUser.get(userId) ?? 0;
      if (count >= streamsPerUser)
        throw new ApiError("busy", "Too many streams are open. Close some tabs and try again.");
      openByUser.set(userId, count + 1);
      const slot = wheel[opened++ % slots];
      // HTTP/1.0 has no chunks.
      const isChunked = format !== undefined && response.req.httpVersion !== "1.0";
      const access = { userId, stream: name };
      const stream: OpenStream = {
        access,
        response,
        format,
        isChunked,
        presence,
        watcher: undefined,
        isBlocked: false,
        isQuiet: true,
        beats: 0,
      };
      slot?.add(stream);
      if (session !== undefined) track(response, session, () => stream.watcher?.close());
      response.once("close", () => {
        slot?.delete(stream);
        const left = (openByUser.get(userId) ?? 1) - 1;
        if (left === 0) openByUser.delete(userId);
        else openByUser.set(userId, left);
        stream.watcher?.close();
      });
      response.on("timeout", () => {
        if (response.writableLength === 0) return;
        cut += 1;
        response.destroy();
      });
      response.on("drain", () => {
        if (!stream.isBlocked) return;
        stream.isBlocked = false;
        response.socket?.setTimeout(0);
        stream.watcher?.resume();
      });
      begin(stream);
      if (format && !send(stream, format.first, stalledMs) && response.writableEnded) return;
      const rows = (rows: readonly Row[]): boolean => send(stream, (format?.toText ?? toEvents)(rows), stalledMs);
      stream.watcher = watch(name, after, { rows });
      // The response was closed during `watch`, before the close listener could see the watcher.
      if (response.destroyed) stream.watcher.close();
    },
    track: (response, session) => track(response, session),
    sessions: () => [...bySession.keys()],
    endSession: (session, except) => {
      for (const [response, stop] of bySession.get(session) ?? []) {
        if (response === except) continue;
        stop();
        cutBySession.add(response);
        response.destroy();
      }
    },
    readers: () => wheel.flatMap((slot) => [...slot].map(({ access }) => access)),
    endReader: ({ userId, stream: name }) => {
      for (const { access, watcher, response } of wheel.flatMap((slot) => [...slot])) {
        if (access.userId !== userId || access.stream !== name) continue;
        watcher?.close();
        cutBySession.add(response);
        response.destroy();
      }
    },
    publish: (name, event, data) => {
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      for (const stream of wheel.flatMap((slot) => [...slot])) {
        if (stream.presence && stream.access.stream === name && !stream.isBlocked) write(stream, text, stalledMs);
      }
    },
    wasCut: (response) => cutBySession.has(response),
    counts: () => ({ open: wheel.reduce((sum, slot) => sum + slot.size, 0), opened, cut }),
    close: () => {
      clearInterval(timer);
      // A stream of another protocol is complete only when it says so.
      for (const slot of wheel)
        for (const { response, format } of slot) void (format ? response.destroy() : response.end());
    },
  };
}

/**
 * Our own stream ends by closing the connection. The client of another protocol needs chunked encoding to tell a complete
 * stream from a lost connection. Node would make four writes of a chunk, so chunks are encoded here.
 */
function begin({ response, format, isChunked }: OpenStream): void {
  response.shouldKeepAlive = false;
  // A stream may be idle. Its timeout runs only while the client's buffer is full.
  response.socket?.setTimeout(0);
  response.useChunkedEncodingByDefault = false;
  const encoding = isChunked ? { "transfer-encoding": "chunked" } : {};
  response.writeHead(200, { ...headers, ...format?.headers, ...encoding });
  response.chunkedEncoding = false;
  response.write(isChunked ? toChunk(heartbeat) : heartbeat);
}

const toChunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const lastChunk = "0\r\n\r\n";

/** Writes, and closes a stream of another protocol that has ended. */
function send(stream: OpenStream, text: string, stalledMs: number): boolean {
  const { response, format, isChunked, watcher } = stream;
  if (format?.isBroken()) {
    watcher?.close();
    response.destroy();
    return false;
  }
  const isFree = text === "" || write(stream, text, stalledMs);
  if (!format?.isDone()) return isFree;
  watcher?.close();
  response.end(isChunked ? lastChunk : "");
  return false;
}

/** Returns false if the client's buffer is full, and then starts its timeout. */
function write(stream: OpenStream, text: string, stalledMs: number): boolean {
  const { response, isChunked } = stream;
  if (response.destroyed || response.writableEnded) return false;
  stream.isQuiet = false;
  if (response.write(isChunked ? toChunk(text) : text)) return true;
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
