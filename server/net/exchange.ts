import { request, type IncomingMessage, type ClientRequest } from "node:http";
import type { Connection } from "./connect.ts";
import type { Deadline } from "./deadline.ts";
import { NetError } from "./net-error.ts";
import { acceptedEncodings, readBody, tooLarge, toEncoding, type BodyLimits } from "./read-body.ts";

/** One request and one response on a connection, which is then closed. */
export type OutboundRequest = {
  readonly url: URL;
  readonly method: "GET" | "POST";
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type OutboundResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export const HEADER_BYTES = 64 * 1024;
const MAX_INTERIM_RESPONSES = 20;

/** The body is read only if `isWanted` returns true. */
type ReadOptions = BodyLimits & { readonly isWanted: (response: Omit<OutboundResponse, "body">) => boolean };

export async function exchange(
  connection: Connection,
  outbound: OutboundRequest,
  options: ReadOptions,
  deadline: Deadline,
): Promise<OutboundResponse> {
  try {
    const response = await send(connection, outbound);
    const status = response.statusCode ?? 0;
    const headers = toHeaders(response);
    const body = options.isWanted({ status, headers })
      ? await readResponseBody(response, headers, options)
      : new Uint8Array();
    return { status, headers, body };
  } catch (error) {
    deadline.signal.throwIfAborted();
    throw toNetError(error);
  } finally {
    connection.socket.destroy();
  }
}

function send({ socket }: Connection, { url, method, headers, body }: OutboundRequest): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const sent = request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      ...length,
      host: url.host,
      "accept-encoding": acceptedEncodings,
      connection: "close",
    },
    maxHeaderSize: HEADER_BYTES,
    insecureHTTPParser: false,
  });
  return awaitResponse(sent, body);
}

/** Sends the request. Resolves with the response head, or rejects with the error. */
export function awaitResponse(sent: ClientRequest, body: string | Uint8Array | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let hints = 0;
  sent.on("information", () => {
    hints += 1;
    if (hints > MAX_INTERIM_RESPONSES)
      sent.destroy(new NetError("protocol", "The server sent too many interim responses."));
  });
  sent.once("upgrade", () => sent.destroy(new NetError("protocol", "The server requested a different protocol.")));
  sent.once("response", (response) => {
    // A body error is reported on the request; the reader of the body would only see it end.
    sent.on("error", (error) => !response.complete && response.destroy(error));
    resolve(response);
  });
  sent.on("error", reject);
  sent.once("close", () => reject(new NetError("protocol", "The connection was closed without a response.")));
  sent.end(body);
  return promise;
}

export const toHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

async function readResponseBody(
  response: IncomingMessage,
  headers: Readonly<Record<string, string>>,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const encoding = toEncoding(headers["content-encoding"]);
  const transfer = headers["transfer-encoding"] ?? "chunked";
  if (transfer.trim().toLowerCase() !== "chunked")
    throw new NetError("encoding", "The response has more than one encoding, which is not supported.");
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > limits.maxBytes && !limits.truncate && encoding === null) throw tooLarge(limits);
  return readBody(toChunks(response), encoding, limits);
}

/** Reports a truncated response as a connection error, not as a decoding error. */
async function* toChunks(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    throw toNetError(error);
  }
}

function toNetError(cause: unknown): NetError {
  if (cause instanceof NetError) return cause;
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  if (code === "HPE_HEADER_OVERFLOW") return new NetError("too-large", "The response headers are too long.", { cause });
  if (code.startsWith("HPE_")) return new NetError("protocol", "The response is not valid HTTP.", { cause });
  if (code.startsWith("ERR_INVALID_") || code === "ERR_UNESCAPED_CHARACTERS")
    return new NetError("protocol", "The request has an invalid header.", { cause });
  return new NetError("protocol", "The connection was closed before the response was complete.", { cause });
}
