import type { ServerResponse } from "node:http";
import type { ZodError } from "zod";
import { ApiError, errorStatus } from "../../protocol/errors.ts";
import { escapeHtml } from "../lib/escape-html.ts";
import { DamagedPageError, StorageFull, Unavailable } from "../store/failure.ts";
import type { Download } from "../transfer/export/exports.ts";
import type { Logger } from "./route-types.ts";

/** A response before it is sent, either as a web `Response` or with Node's `ServerResponse`. */
export type Reply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer>;
};

export const securityHeaders = {
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; " +
    "connect-src 'self'; font-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-robots-tag": "noindex, nofollow",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
} as const;

const jsonHeaders = {
  ...securityHeaders,
  "cache-control": "no-store",
  "content-type": "application/json; charset=utf-8",
} as const;

export const toJson = (status: number, value: unknown, requestId: string): Reply => ({
  status,
  headers: { ...jsonHeaders, "x-request-id": requestId },
  body: JSON.stringify(value),
});

export function textReply(status: number, type: string, body: string, requestId: string): Reply {
  return { status, headers: { ...jsonHeaders, "content-type": type, "x-request-id": requestId }, body };
}

/** A file download. `name` must be plain ASCII. */
export const toDownload = (name: string, bytes: Buffer, requestId: string): Reply => ({
  status: 200,
  headers: {
    ...jsonHeaders,
    "content-type": "application/zip",
    "content-disposition": `attachment; filename="${name}"`,
    "x-request-id": requestId,
  },
  body: new Uint8Array(bytes),
});

/** A streamed file download. `name` must be plain ASCII. */
export function toFile({ name, type, chunks }: Download, requestId: string): Response {
  const encoder = new TextEncoder();
  const pieces = chunks[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    cancel: async () => {
      await pieces.return?.();
    },
  });
  const disposition = `attachment; filename="${name}"`;
  return new Response(body, {
    headers: { ...jsonHeaders, "content-type": type, "content-disposition": disposition, "x-request-id": requestId },
  });
}

/** Turns any error into a response. A bug shows only its request id and is logged with its stack. */
export function toErrorReply(error: unknown, requestId: string, logger: Logger): Reply {
  const { code, message, current, retryAfterSeconds } = describe(error);
  if (code === "bug") logger.error({ requestId, err: error }, "A request failed because of a bug.");
  if (code === "storage-damaged")
    logger.error({ requestId, err: error }, "A request failed because the database is damaged.");
  const plain = toJson(errorStatus[code], { error: { code, message, requestId, current } }, requestId);
  const reply =
    retryAfterSeconds === undefined
      ? plain
      : { ...plain, headers: { ...plain.headers, "retry-after": String(retryAfterSeconds) } };
  return code === "unauthenticated"
    ? { ...reply, headers: { ...reply.headers, "www-authenticate": 'Bearer realm="stonechat"' } }
    : reply;
}

/** The error as an HTML page, for a browser navigation. */
export function toErrorPage(reply: Reply): Reply {
  const { error } = JSON.parse(String(reply.body)) as { error: { message: string; requestId: string } };
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Stonechat</title>
<style>
  html { background: Canvas; color: CanvasText }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
  a { color: inherit }
  small { opacity: .7 }
</style>
<main>
  <h1>${escapeHtml(error.message)}</h1>
  <p><a href="/">Go to your threads</a></p>
  <p><small>${reply.status} · ${escapeHtml(error.requestId)}</small></p>
</main>
</html>
`;
  return { ...reply, headers: { ...reply.headers, "content-type": "text/html; charset=utf-8" }, body };
}

type ErrorDetails = Pick<ApiError, "code" | "message"> & Partial<Pick<ApiError, "current" | "retryAfterSeconds">>;

function describe(error: unknown): ErrorDetails {
  if (error instanceof ApiError) return error;
  if (error instanceof StorageFull) return { code: "storage-full", message: toSentence(error.message) };
  if (error instanceof Unavailable) return { code: "unavailable", message: toSentence(error.message) };
  if (error instanceof DamagedPageError) return { code: "storage-damaged", message: DAMAGED };
  return { code: "bug", message: "Something went wrong on the server. Its log has details under this request id." };
}

/** Paths and SQLite errors appear only in the log. */
const DAMAGED =
  "The part of the database that this request needs cannot be read. Ask the operator to check the server log.";

const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}. Nothing was lost.`;

/** Zod's first issue as a sentence that names the field. It never contains values, because a body may contain a secret. */
export function toInvalid(place: "body" | "query" | "path", error: ZodError): ApiError {
  const [issue] = error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "" : ` "${issue.path.map(String).join(".")}"`;
  return new ApiError("invalid", `The ${place}${field} is not valid: ${issue?.message ?? "unknown"}`.slice(0, 300));
}

export function toResponse(reply: Reply, cookies: readonly string[] = []): Response {
  const response = new Response(reply.body, { status: reply.status, headers: reply.headers });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(reply.body) });
  response.end(reply.body);
}
