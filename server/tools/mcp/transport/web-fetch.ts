import type { Clock } from "../../../lib/clock.ts";
import type { OpenStream, StreamResponse } from "../../../net/open-stream.ts";
import { createFlood } from "./flood.ts";
import type { HttpSettings } from "../mcp-file.ts";

/** What the package calls to get out: our own way out in the shape of the web's `fetch`, with bounds on what comes back. */
export type WebFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

type Options = {
  readonly settings: HttpSettings;
  readonly stream: OpenStream;
  readonly clock: Clock;
  /** The answer to this request was a stream that is over and cannot be taken up again. */
  readonly onStreamEnd?: (requestId: number) => void;
};

const MAX_MESSAGE_LENGTH = 8 * 1024 * 1024;
const LIFE_MS = 60 * 60_000;
const IDLE_MS = 5 * 60_000;
const MAX_GETS = 5;
const GETS_MS = 60_000;
const SHARED_MS = 10_000;
const withoutBody = new Set([101, 204, 205, 304]);

export function createWebFetch({ settings, stream, clock, onStreamEnd = () => {} }: Options): WebFetch {
  const { origin } = new URL(settings.url);
  const gets: number[] = [];
  const refreshes = new Map<string, { readonly at: number; readonly answer: Promise<Response> }>();

  /** A server that ends its stream at once would otherwise be asked again without end. */
  const isTooOften = (): boolean => {
    while (gets.length > 0 && clock.monotonic() - (gets[0] ?? 0) > GETS_MS) gets.shift();
    return gets.push(clock.monotonic()) > MAX_GETS;
  };

  const ask = async (url: URL, init: RequestInit): Promise<Response> => {
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
      lifeMs: LIFE_MS,
      idleMs: isListening ? LIFE_MS : IDLE_MS,
    });
    const requestId = method === "POST" ? findId(body) : undefined;
    const resumable = { is: false };
    const whenOver = (): void => {
      if (requestId !== undefined && !resumable.is) onStreamEnd(requestId);
    };
    return toResponse(answer, bound(answer, clock, resumable), whenOver);
  };

  /** Calls side by side find the token stale together; the one-time token that renews it may be used once. */
  const askOnce = (refreshToken: string, url: URL, init: RequestInit): Promise<Response> => {
    for (const [key, { at }] of refreshes) if (clock.monotonic() - at > SHARED_MS) refreshes.delete(key);
    const key = `${url.href} ${refreshToken}`;
    const shared = refreshes.get(key) ?? { at: clock.monotonic(), answer: ask(url, init).then(readWhole) };
    refreshes.set(key, shared);
    return shared.answer.then((response) => response.clone());
  };

  return (address, init = {}) => {
    const url = new URL(address);
    const params = init.body instanceof URLSearchParams ? init.body : undefined;
    const refreshToken = params?.get("grant_type") === "refresh_token" ? params.get("refresh_token") : null;
    return refreshToken ? askOnce(refreshToken, url, init) : ask(url, init);
  };
}

function toMethod(method = "GET"): "GET" | "POST" | "DELETE" {
  if (method === "GET" || method === "POST" || method === "DELETE") return method;
  throw new Error(`${method} is not a way to ask an MCP server.`);
}

function toText(body: NonNullable<RequestInit["body"]>): string {
  if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
  throw new Error("Only texts are sent to MCP servers.");
}

function findId(body: string | undefined): number | undefined {
  const message = body?.startsWith("{") ? (JSON.parse(body) as { readonly id?: unknown }) : {};
  return typeof message.id === "number" ? message.id : undefined;
}

async function readWhole(response: Response): Promise<Response> {
  const { status, headers } = response;
  return new Response(await response.text(), { status, headers });
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

/** A whole answer, or one event of a stream, may be this long; and a stream may not come faster than it can be read. */
async function* bound(
  { headers, body }: StreamResponse,
  clock: Clock,
  resumable: { is: boolean },
): AsyncGenerator<Uint8Array> {
  const isStream = isEventStream(headers);
  const flood = createFlood(clock);
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_MESSAGE_LENGTH) throw new Error(`It sent a message of more than ${MAX_MESSAGE_LENGTH} bytes.`);
    if (isStream) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      resumable.is ||= /^id:/m.test(text);
      const events = text.split(/\n\r?\n/);
      if (events.some((event) => flood.isOver(event.length))) throw new Error("It sends more than can be read.");
      if (events.length > 1) size = events.at(-1)?.length ?? 0;
    }
    yield chunk;
  }
}
