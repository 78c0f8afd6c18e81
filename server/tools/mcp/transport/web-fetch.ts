import type { Clock } from "../../../lib/clock.ts";
import type { OpenStream, StreamResponse } from "../../../net/open-stream.ts";
import { createFloodGuard } from "./flood-guard.ts";
import type { HttpSettings } from "../mcp-file.ts";

/** The `fetch` given to the MCP SDK: goes through `net/` and limits the size of responses. */
export type WebFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

type Options = {
  readonly settings: HttpSettings;
  readonly stream: OpenStream;
  readonly clock: Clock;
  /** Called when the response stream of this request ended and cannot be resumed. */
  readonly onStreamEnd?: (requestId: number) => void;
};

const MAX_MESSAGE_LENGTH = 8 * 1024 * 1024;
const MAX_STREAM_MS = 60 * 60_000;
const IDLE_MS = 5 * 60_000;
const MAX_GETS = 5;
const GETS_MS = 60_000;
const REFRESH_SHARED_MS = 10_000;
const withoutBody = new Set([101, 204, 205, 304]);

export function createWebFetch({ settings, stream, clock, onStreamEnd = () => {} }: Options): WebFetch {
  const { origin } = new URL(settings.url);
  const gets: number[] = [];
  const refreshes = new Map<string, { readonly at: number; readonly answer: Promise<CreateResponse> }>();

  /** Stops an endless loop of reconnects to a server that ends its stream immediately. */
  const isTooOften = (): boolean => {
    while (gets.length > 0 && clock.monotonic() - (gets[0] ?? 0) > GETS_MS) gets.shift();
    return gets.push(clock.monotonic()) > MAX_GETS;
  };

  const request = async (url: URL, init: RequestInit): Promise<Response> => {
    const method = toMethod(init.method);
    const own = url.origin === origin ? settings.headers : {};
    const headers = Object.fromEntries(new Headers({ ...own, ...Object.fromEntries(new Headers(init.headers)) }));
    const isListening = method === "GET" && (headers["accept"] ?? "").includes("text/event-stream");
    if (isListening && isTooOften()) return new Response(null, { status: 405 });
    const body = init.body === undefined || init.body === null ? undefined : toText(init.body);
    const answer = await stream(url.href, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(init.signal ? { signal: init.signal } : {}),
      lifeMs: MAX_STREAM_MS,
      idleMs: isListening ? MAX_STREAM_MS : IDLE_MS,
    });
    const requestId = method === "POST" ? findId(body) : undefined;
    const resumable = { is: false };
    const onBodyEnd = (): void => {
      if (requestId !== undefined && !resumable.is) onStreamEnd(requestId);
    };
    return toResponse(answer, bound(answer, clock, resumable), onBodyEnd);
  };

  /** Concurrent calls that find the access token expired share one refresh, because a refresh token works only once. */
  const refreshOnce = (refreshToken: string, url: URL, init: RequestInit): Promise<Response> => {
    for (const [key, { at }] of refreshes) if (clock.monotonic() - at > REFRESH_SHARED_MS) refreshes.delete(key);
    const key = `${url.href} ${refreshToken}`;
    const shared = refreshes.get(key) ?? { at: clock.monotonic(), answer: request(url, init).then(readBody) };
    refreshes.set(key, shared);
    return shared.answer.then((create) => create());
  };

  return (address, init = {}) => {
    const url = new URL(address);
    const params = init.body instanceof URLSearchParams ? init.body : undefined;
    const refreshToken = params?.get("grant_type") === "refresh_token" ? params.get("refresh_token") : null;
    return refreshToken ? refreshOnce(refreshToken, url, init) : request(url, init);
  };
}

function toMethod(method = "GET"): "GET" | "POST" | "DELETE" {
  if (method === "GET" || method === "POST" || method === "DELETE") return method;
  throw new Error(`${method} requests are not supported for MCP servers.`);
}

function toText(body: NonNullable<RequestInit["body"]>): string {
  if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
  throw new Error("Only text bodies can be sent to MCP servers.");
}

function findId(body: string | undefined): number | undefined {
  const message = body?.startsWith("{") ? (JSON.parse(body) as { readonly id?: unknown }) : {};
  return typeof message.id === "number" ? message.id : undefined;
}

type CreateResponse = () => Response;

/** Not a clone: where the HTTP server has replaced the global `Response`, the SDK does not recognize clones as responses. */
async function readBody(response: Response): Promise<CreateResponse> {
  const { status, headers } = response;
  const text = await response.text();
  return () => new Response(text, { status, headers });
}

function toResponse(
  { status, headers }: StreamResponse,
  body: AsyncGenerator<Uint8Array>,
  onEnd: () => void,
): Response {
  if (withoutBody.has(status)) {
    void body.return(undefined);
    return new Response(null, { status, headers });
  }
  const isStream = isEventStream(headers);
  const readable = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value, done } = await body.next();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      if (isStream) onEnd();
    },
    cancel: async () => {
      await body.return(undefined);
    },
  });
  return new Response(readable, { status, headers });
}

const isEventStream = (headers: StreamResponse["headers"]): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");

/** Characters of "\nid". */
const TAIL = 3;

/** Limits the length of a response, or of one event of a stream, and the rate of a stream. */
async function* bound(
  { headers, body }: StreamResponse,
  clock: Clock,
  resumable: { is: boolean },
): AsyncGenerator<Uint8Array> {
  const isStream = isEventStream(headers);
  const flood = createFloodGuard(clock);
  let size = 0;
  /** The end of the last chunk: a separator or a field name may be cut between two chunks. */
  let tail = "";
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_MESSAGE_LENGTH)
      throw new Error(`The server sent a message of more than ${MAX_MESSAGE_LENGTH} bytes.`);
    if (isStream) {
      const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      resumable.is ||= /^id:/m.test(text);
      const events = text.split(/\n\r?\n/);
      if (events.some((event) => flood.isExceeded(event.length))) throw new Error("It sends too much data.");
      const last = events.at(-1) ?? "";
      if (events.length > 1) size = last.length;
      tail = last.slice(-TAIL);
    }
    yield chunk;
  }
}
