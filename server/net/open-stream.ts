import { request, type IncomingMessage } from "node:http";
import { createAllowList } from "./allow-list.ts";
import { connect, toConnectOptions, type Connection } from "./connect.ts";
import { openDeadline, untilAborted, type Deadline } from "./deadline.ts";
import { awaitResponse, HEADER_BYTES, toHeaders } from "./exchange.ts";
import { connectionHeaders, type FetchOptions } from "./fetch.ts";
import { NetError } from "./net-error.ts";
import { locate, parseUrl, systemResolve } from "./target.ts";

/**
 * HTTP client for streamed responses, with the same address checks as `fetch`. It follows no redirects and decodes
 * nothing; the reader decides how much to read. A stream ends after `lifeMs`, after silence of `idleMs`, or when its
 * signal aborts.
 */
export type OpenStream = (url: string, init: StreamInit) => Promise<StreamResponse>;

type StreamInit = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Maximum time from name resolution to the last byte. */
  readonly lifeMs: number;
  /** Maximum silence of the server. */
  readonly idleMs: number;
};

export type StreamResponse = {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reading to the end or breaking off closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
};

type StreamOptions = Omit<FetchOptions, "idleMs" | "spacingMs" | "allowPrivateSearch">;

export function createStream(options: StreamOptions): OpenStream {
  const { clock, userAgent, resolve = systemResolve } = options;
  const allowed = createAllowList(options.allowPrivate ?? []);

  const open = async (url: URL, init: StreamInit, deadline: Deadline): Promise<StreamResponse> => {
    const connectOptions = toConnectOptions(options, init.idleMs);
    const target = await untilAborted(deadline.signal, locate(url, allowed, resolve));
    const connection = await connect(target, connectOptions, deadline);
    connection.socket.once("close", deadline.close);
    const response = await send(connection, url, { ...init, headers: { ...init.headers, "user-agent": userAgent } });
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      connection.socket.destroy();
      throw new NetError("encoding", "The response has an unsupported encoding.");
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

function send({ socket }: Connection, url: URL, { method, headers, body }: StreamInit): Promise<IncomingMessage> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const sent = request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...Object.fromEntries(given.filter(([name]) => name === "user-agent" || !connectionHeaders.test(name))),
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      host: url.host,
      "accept-encoding": "identity",
      connection: "close",
    },
    maxHeaderSize: HEADER_BYTES,
    insecureHTTPParser: false,
  });
  return awaitResponse(sent, body);
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

const toNetError = (cause: unknown): NetError =>
  cause instanceof NetError
    ? cause
    : new NetError("protocol", "The connection was closed before the response was complete.", { cause });
