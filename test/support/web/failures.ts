import { gzipSync } from "node:zlib";
import type { Respond } from "./loopback.ts";
import { send, sendJson } from "./loopback.ts";

/** Ways in which a site fails to answer. `waits`: it ends only by a timeout. */
export type Failure = {
  readonly name: string;
  readonly respond: Respond;
  readonly waits?: true;
  /** The kind of failure; each caller has its own message for it. */
  readonly kind: FailureKind;
};
export type FailureKind =
  | "rejected"
  | "key"
  | "quota"
  | "forbidden"
  | "not-found"
  | "rate"
  | "server"
  | "garbage"
  | "shape"
  | "cut"
  | "time"
  | "large"
  | "loop"
  | "private"
  | "encoding";

const page = (title: string): string => `<!doctype html><html><head><title>${title}</title></head><body></body></html>`;

const drip: Respond = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};

/** Raw bytes instead of HTTP. */
const raw =
  (bytes: string): Respond =>
  (_, response) =>
    void response.socket?.end(bytes);

export const failures: readonly Failure[] = [
  { name: "400 with a reason", kind: "rejected", respond: sendJson({ error: "Missing query `q` parameter." }, 400) },
  { name: "401 in JSON", kind: "key", respond: sendJson({ detail: { error: "Unauthorized: invalid API key." } }, 401) },
  { name: "402 payment required", kind: "quota", respond: sendJson({ error: "Payment required" }, 402) },
  { name: "403 as a page", kind: "forbidden", respond: send("text/html", page("Forbidden"), 403) },
  { name: "404 as a page", kind: "not-found", respond: send("text/html", page("Not found"), 404) },
  { name: "410 and nothing", kind: "not-found", respond: send("text/plain", "", 410) },
  { name: "418", kind: "rejected", respond: sendJson({}, 418) },
  { name: "429 without more", kind: "rate", respond: send("text/plain", "", 429) },
  { name: "500 as a page", kind: "server", respond: send("text/html", page("Oops"), 500) },
  { name: "502 and nothing", kind: "server", respond: send("text/html", "", 502) },
  { name: "503 in JSON", kind: "server", respond: sendJson({ error: { message: "overloaded" } }, 503) },
  { name: "504 as text", kind: "server", respond: send("text/plain", "gateway timeout", 504) },
  { name: "a cut body", kind: "cut", respond: cutBody },
  {
    name: "a cut chunk",
    kind: "cut",
    respond: raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"resul'),
  },
  { name: "a closed connection", kind: "cut", respond: (_, response) => void response.socket?.destroy() },
  { name: "something that is not HTTP", kind: "cut", respond: raw("220 mail.example ESMTP ready\r\n") },
  { name: "endless headers", kind: "large", respond: raw(`HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(100_000)}\r\n\r\n`) },
  { name: "silence", kind: "time", waits: true, respond: () => {} },
  {
    name: "headers and then silence",
    kind: "time",
    waits: true,
    respond: (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("{");
    },
  },
  { name: "an endless drip", kind: "time", waits: true, respond: drip },
  { name: "far too much", kind: "large", respond: send("application/json", Buffer.alloc(14 * 1024 * 1024, 32)) },
  { name: "a bomb", kind: "large", respond: sendEncoded("gzip", gzipSync(Buffer.alloc(20 * 1024 * 1024, 32))) },
  { name: "a broken encoding", kind: "encoding", respond: sendEncoded("gzip", Buffer.from("this is not gzip")) },
  { name: "an unknown encoding", kind: "encoding", respond: sendEncoded("exi", Buffer.from("{}")) },
  { name: "two encodings", kind: "encoding", respond: sendEncoded("gzip, br", gzipSync("{}")) },
  { name: "a redirect to itself", kind: "loop", respond: redirect((path) => `${path}?again`) },
  { name: "a redirect inwards", kind: "private", respond: redirect(() => "http://169.254.169.254/latest/meta-data/") },
  { name: "a redirect to another protocol", kind: "private", respond: redirect(() => "file:///etc/passwd") },
];

/** Additional failures for JSON clients. */
export const jsonFailures: readonly Failure[] = [
  { name: "a page instead of JSON", kind: "garbage", respond: send("text/html", page("Sign in")) },
  { name: "nothing", kind: "garbage", respond: send("application/json", "") },
  { name: "half of an object", kind: "garbage", respond: send("application/json", '{"results": [{"title": "a", ') },
  { name: "bytes", kind: "garbage", respond: send("application/json", Buffer.from([0x80, 0xff, 0x00, 0x13, 0x37])) },
  { name: "204", kind: "garbage", respond: (_, response) => void response.writeHead(204).end() },
  { name: "null", kind: "shape", respond: sendJson("null") },
  { name: "a number", kind: "shape", respond: sendJson("42") },
  { name: "a list", kind: "shape", respond: sendJson("[]") },
  { name: "an empty object", kind: "shape", respond: sendJson("{}") },
  {
    name: "the right fields with values of the wrong type",
    kind: "shape",
    respond: sendJson({
      organic_results: "x",
      choices: {},
      results: 7,
      type: "search",
      web: 1,
      success: true,
      data: [],
    }),
  },
  {
    name: "a used-up quota as a normal response",
    kind: "quota",
    respond: sendJson({ error: "Your account has run out of searches.", success: false }),
  },
  {
    name: "429 for a used-up quota",
    kind: "quota",
    respond: sendJson({ error: { message: "This request exceeds your plan's set usage limit." } }, 429),
  },
];

function cutBody(_: unknown, response: Parameters<Respond>[1]): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"results": [', () => response.socket?.destroy());
}

function sendEncoded(encoding: string, body: Uint8Array): Respond {
  return (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding });
    response.end(body);
  };
}

function redirect(to: (path: string) => string): Respond {
  return ({ path }, response) => void response.writeHead(302, { location: to(path) }).end();
}
