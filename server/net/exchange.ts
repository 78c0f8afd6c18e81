import { request, type IncomingMessage, type ClientRequest } from "node:http";
import type { Connection } from "./connect.ts";
import type { Deadline } from "./deadline.ts";
import { NetError } from "./net-error.ts";
import { acceptedEncodings, readBody, tooLarge, toEncoding, type BodyLimits } from "./read-body.ts";

/** One request and one answer on a connection, which is gone afterwards. */
export type Ask = {
  readonly url: URL;
  readonly method: "GET" | "POST";
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type Exchange = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

const HEADER_BYTES = 64 * 1024;
const MOST_HINTS = 20;

/** The body of an answer for which `isWanted` says no is not read. */
export type Reading = BodyLimits & { readonly isWanted: (answer: Omit<Exchange, "body">) => boolean };

export async function exchange(
  connection: Connection,
  ask: Ask,
  reading: Reading,
  deadline: Deadline,
): Promise<Exchange> {
  try {
    const response = await send(connection, ask);
    const status = response.statusCode ?? 0;
    const headers = toHeaders(response);
    const body = reading.isWanted({ status, headers })
      ? await readAnswer(response, headers, reading)
      : new Uint8Array();
    return { status, headers, body };
  } catch (error) {
    deadline.signal.throwIfAborted();
    throw toNetError(error);
  } finally {
    connection.socket.destroy();
  }
}

function send({ socket }: Connection, { url, method, headers, body }: Ask): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const asked = request({
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
  return awaitResponse(asked, body);
}

/** Sends the request; resolves with the head of its answer, or rejects with what became of it. */
export function awaitResponse(asked: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let hints = 0;
  asked.on("information", () => {
    hints += 1;
    if (hints > MOST_HINTS)
      asked.destroy(new NetError("protocol", "The other side keeps announcing and never answers."));
  });
  asked.once("upgrade", () => asked.destroy(new NetError("protocol", "The other side wants another protocol.")));
  asked.once("response", (response) => {
    // What is wrong with the body is told to the request; who reads the body would only see it end.
    asked.on("error", (error) => !response.complete && response.destroy(error));
    resolve(response);
  });
  asked.on("error", reject);
  asked.once("close", () => reject(new NetError("protocol", "The connection was closed without an answer.")));
  asked.end(body);
  return promise;
}

const toHeaders = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );

async function readAnswer(
  response: IncomingMessage,
  headers: Readonly<Record<string, string>>,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const encoding = toEncoding(headers["content-encoding"]);
  const transfer = headers["transfer-encoding"] ?? "chunked";
  if (transfer.trim().toLowerCase() !== "chunked")
    throw new NetError("encoding", "The answer is encoded twice, which is not read here.");
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > limits.maxBytes && !limits.isCut && encoding === null) throw tooLarge(limits);
  return readBody(toChunks(response), encoding, limits);
}

/** An end that came too early is the connection's fault, not the encoding's. */
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
  if (code === "HPE_HEADER_OVERFLOW") return new NetError("too-large", "The answer's headers are too long.", { cause });
  if (code.startsWith("HPE_")) return new NetError("protocol", "The answer is not valid HTTP.", { cause });
  if (code.startsWith("ERR_INVALID_") || code === "ERR_UNESCAPED_CHARACTERS")
    return new NetError("protocol", "The request has a header that cannot be sent.", { cause });
  return new NetError("protocol", "The connection was closed before the whole answer had come.", { cause });
}
