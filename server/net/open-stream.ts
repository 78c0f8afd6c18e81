import { lookup } from "node:dns/promises";
import { request, type IncomingMessage } from "node:http";
import { createAllowList } from "./allow-list.ts";
import { connect, dialTcp, type Connection, type Way } from "./connect.ts";
import { openDeadline, untilAborted, type Deadline } from "./deadline.ts";
import { awaitResponse } from "./exchange.ts";
import type { FetchOptions } from "./fetch.ts";
import { NetError } from "./net-error.ts";
import { locate, parseUrl } from "./target.ts";

/**
 * The way out for answers that come bit by bit, under the same rules as `fetch`: every address checked, then connected to. It
 * follows no redirect and decodes nothing; whoever reads decides how much. A stream ends with its life, its silence or its signal.
 */
export type OpenStream = (url: string, init: StreamInit) => Promise<Streamed>;

export type StreamInit = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** From the first look-up to the last byte. */
  readonly lifeMs: number;
  /** Silence of the other side that ends it. */
  readonly idleMs: number;
};

export type Streamed = {
  readonly status: number;
  /** Names in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be read to its end, or broken off: either lets the connection go. */
  readonly body: AsyncIterable<Uint8Array>;
};

export type StreamOptions = Omit<FetchOptions, "idleMs" | "spacingMs" | "allowPrivateSearch">;

const HEADER_BYTES = 64 * 1024;
const ours =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|transfer-encoding|content-length|accept-encoding|user-agent|proxy-.*)$/;

export function createStream(options: StreamOptions): OpenStream {
  const { clock, userAgent, resolve = resolveName } = options;
  const allowed = createAllowList(options.allowPrivate ?? []);

  const open = async (url: URL, init: StreamInit, deadline: Deadline): Promise<Streamed> => {
    const way: Way = {
      dial: options.dial ?? dialTcp,
      resolve,
      proxy: options.proxy ? new URL(options.proxy) : null,
      ca: options.ca,
      connectMs: options.connectMs ?? 5000,
      idleMs: init.idleMs,
    };
    const target = await untilAborted(deadline.signal, locate(url, allowed, resolve));
    const connection = await connect(target, way, deadline);
    connection.socket.once("close", deadline.close);
    const response = await send(connection, url, { ...init, headers: { ...init.headers, "user-agent": userAgent } });
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      connection.socket.destroy();
      throw new NetError("encoding", "The answer is encoded in a way that is not read here.");
    }
    return { status: response.statusCode ?? 0, headers: toHeaders(response), body: read(response, deadline) };
  };

  return async (text, init) => {
    const deadline = openDeadline(clock, init.lifeMs, init.signal);
    try {
      deadline.signal.throwIfAborted();
      return await open(parseUrl(text), init, deadline);
    } catch (error) {
      deadline.close();
      deadline.signal.throwIfAborted();
      throw toNetError(error);
    }
  };
}

const resolveName = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true, order: "verbatim" })).map(({ address }) => address);

function send({ socket }: Connection, url: URL, { method, headers, body }: StreamInit): Promise<IncomingMessage> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const asked = request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...Object.fromEntries(given.filter(([name]) => name === "user-agent" || !ours.test(name))),
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      host: url.host,
      "accept-encoding": "identity",
      connection: "close",
    },
    maxHeaderSize: HEADER_BYTES,
    insecureHTTPParser: false,
  });
  return awaitResponse(asked, body);
}

async function* read(response: IncomingMessage, deadline: Deadline): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    deadline.signal.throwIfAborted();
    throw toNetError(error);
  } finally {
    response.destroy();
    deadline.close();
  }
}

const toHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

const toNetError = (cause: unknown): NetError =>
  cause instanceof NetError
    ? cause
    : new NetError("protocol", "The connection was closed before the whole answer had come.", { cause });
