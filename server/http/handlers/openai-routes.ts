import type { Context, Hono } from "hono";
import { openAiRoutes, type OpenAiRoute } from "../../../protocol/surfaces/openai-routes.ts";
import type { ApiError } from "../../../protocol/errors.ts";
import {
  AnswerFailed,
  CLIENT_GONE,
  toOpenAiError,
  type OpenAi,
  type OpenAiError,
  type OpenAiReply,
} from "../../surfaces/openai/openai.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Env, Identify } from "../api-routes.ts";
import { readBody } from "../body.ts";
import { toOutgoing } from "../identify.ts";
import { securityHeaders, toErrorReply, toJson, toResponse, type Reply } from "../reply.ts";
import type { Logger } from "../route-types.ts";
import type { Streams } from "../sse.ts";
import { createUploadSlots, type UploadLimits } from "../upload-slots.ts";

type Options = {
  readonly openAi: OpenAi;
  readonly identify: Identify;
  readonly bodyTimeoutMs: number;
  /** Aborted when the server shuts down. Answers continue after the restart or on another node. */
  readonly closing: AbortSignal;
  readonly heartbeatMs: number;
  readonly streams: Pick<Streams, "wasCut">;
  readonly logger: Logger;
};

/** Bodies contain pictures and files as base64. */
const MAX_BODY_BYTES = 12_000_000;
/** Larger requests are in memory as a whole until they are admitted. */
const LARGE_BYTES = 1_000_000;
const largeRequests: UploadLimits = { perUser: 4, total: 8 };

/** The routes of OpenAI's API: authenticate, read the body, and stream or send the reply of the surface. */
export function addOpenAiRoutes(app: Hono<Env>, options: Options): void {
  const { openAi, identify, bodyTimeoutMs, heartbeatMs, logger } = options;
  const slots = createUploadSlots(largeRequests);
  const acquire = (context: Context<Env>, { userId }: Principal): (() => void) => {
    const isChunked = context.req.header("transfer-encoding") !== undefined;
    const isLarge = isChunked || !(Number(context.req.header("content-length") ?? 0) <= LARGE_BYTES);
    return isLarge ? once(slots.acquire(userId)) : () => {};
  };

  for (const name of Object.keys(openAiRoutes) as OpenAiRoute[]) {
    const { method, path } = openAiRoutes[name];
    app.on(method, path, async (context) => {
      const principal = await identify(context, method === "GET" ? "read" : "chat");
      const release = method === "GET" ? () => {} : acquire(context, principal);
      try {
        const source = { request: context.req.raw, incoming: context.env?.incoming, timeoutMs: bodyTimeoutMs };
        const body = method === "GET" ? undefined : await readBody({ ...source, most: MAX_BODY_BYTES });
        const query = Object.fromEntries(new URL(context.req.url).searchParams);
        const signal = toSignal(context, options);
        const params: Readonly<Record<string, string>> = context.req.param();
        const retry = toRetryMark(context);
        const request = { principal, params, query, body: body ?? {}, retry, signal, onAdmitted: release };
        const reply = await openAi[name](request);
        const requestId = context.get("requestId");
        if ("json" in reply) return toResponse(toJson(200, reply.json, requestId));
        return await toEventStream(reply, { signal, heartbeatMs, requestId, logger });
      } finally {
        release();
      }
    });
  }
}

/** OpenAI's own clients count their retries; others send a key. */
function toRetryMark(context: Context<Env>) {
  const { req } = context;
  const key = (req.header("idempotency-key") ?? req.header("x-idempotency-key"))?.trim();
  return {
    isRetry: Number(req.header("x-stainless-retry-count") ?? 0) > 0,
    key: key === "" ? undefined : key,
  };
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

/** Aborted when the client closes its connection, when its key ends, or when the server shuts down. */
function toSignal(context: Context<Env>, { closing, streams }: Pick<Options, "closing" | "streams">): AbortSignal {
  const controller = new AbortController();
  const outgoing = toOutgoing(context);
  const onClosing = (): void => controller.abort("closing");
  closing.addEventListener("abort", onClosing, { once: true });
  outgoing?.once("close", () => {
    closing.removeEventListener("abort", onClosing);
    if (!outgoing.writableFinished) controller.abort(streams.wasCut(outgoing) ? "cut" : CLIENT_GONE);
  });
  return controller.signal;
}

type StreamOptions = {
  readonly signal: AbortSignal;
  readonly heartbeatMs: number;
  readonly requestId: string;
  readonly logger: Logger;
};

const HEARTBEAT = ": \n\n";

/**
 * Sends lines as they come. The status is sent with the first line, so that a request that fails before it gets an error status,
 * or after a while without a line. A failure after that is the last event. Lines are only made when the client reads.
 */
async function toEventStream({ events, toFailure }: EventReply, options: StreamOptions): Promise<Response> {
  const { signal, heartbeatMs, requestId, logger } = options;
  const encoder = new TextEncoder();
  let next = events.next();
  const read = async (): Promise<IteratorResult<string> | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), heartbeatMs)));
    try {
      return await Promise.race([next, silence]);
    } finally {
      clearTimeout(timer);
    }
  };
  let ready = await read();
  const readOrFail = async () => {
    try {
      return await read();
    } catch (error) {
      if (!signal.aborted) return toError(error, requestId, logger);
      throw error;
    }
  };
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const step = ready ?? (await readOrFail());
      ready = undefined;
      if (step === undefined) return controller.enqueue(encoder.encode(HEARTBEAT));
      // Cut off by a shutdown: an orderly end would look like a complete answer.
      if ("done" in step && step.done && signal.aborted) return controller.error(new Error("The stream was cut off."));
      if ("message" in step) controller.enqueue(encoder.encode(toFailure(step)));
      if ("message" in step || step.done) return controller.close();
      next = events.next();
      next.catch(() => {});
      controller.enqueue(encoder.encode(step.value));
    },
    cancel: async () => void (await events.return(undefined)),
  });
  return new Response(body, {
    headers: {
      ...securityHeaders,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-store, no-transform",
      "x-accel-buffering": "no",
      "x-request-id": requestId,
    },
  });
}

type EventReply = Extract<OpenAiReply, { readonly events: unknown }>;

/** The error of a request whose status was sent already. */
const toError = (error: unknown, requestId: string, logger: Logger): OpenAiError =>
  (JSON.parse(String(toOpenAiReply(error, requestId, logger).body)) as { readonly error: OpenAiError }).error;

/** Seconds after which a request that a provider refused may be sent again. */
const RETRY_SECONDS = "20";

/** An error in the form of OpenAI's API. */
export function toOpenAiReply(error: unknown, requestId: string, logger: Logger): Reply {
  if (error instanceof AnswerFailed) {
    const { status, error: body } = error.failure;
    const reply = toJson(status, { error: body }, requestId);
    // The engine has already tried again, so the client need not.
    const mayRetry = status === 429 && body.type !== "insufficient_quota";
    const more = mayRetry ? { "retry-after": RETRY_SECONDS } : { "x-should-retry": "false" };
    return { ...reply, headers: { ...reply.headers, ...more } };
  }
  const plain = toErrorReply(error, requestId, logger);
  const { code, message } = (JSON.parse(String(plain.body)) as { error: { code: ApiError["code"]; message: string } })
    .error;
  const retry = code === "busy" && plain.headers["retry-after"] === undefined ? { "retry-after": "1" } : {};
  return {
    ...plain,
    headers: { ...plain.headers, ...retry },
    body: JSON.stringify({ error: toOpenAiError(code, message) }),
  };
}
