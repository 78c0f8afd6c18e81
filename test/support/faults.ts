import type { ServerResponse } from "node:http";
import type { ModelFailure } from "../../protocol/model.ts";
import { call, chunk, finish, moreArguments, text, toSse, usage } from "./chat-wire.ts";
import type { Fault } from "./provider-server.ts";

/**
 * Provider faults by name, in the chat completions format (OpenRouter, OpenAI-compatible). `ends` lists the valid
 * terminal events. Faults that hang rely on a short idle timeout, `total` ones on a short total timeout.
 */
export type NamedFault = Fault & {
  readonly ends: readonly (ModelFailure["code"] | "finish")[];
  /** Whether some text of the answer precedes the fault. */
  readonly midway?: boolean;
  readonly needs?: "total-timeout";
};

type Ends = NamedFault["ends"];

type Answer = { readonly body: unknown; readonly headers?: Record<string, string> };

const status = (name: string, code: number, ends: Ends, { body, headers }: Answer): NamedFault => ({
  name,
  ends,
  respond: (_call, res) => {
    const isPage = typeof body === "string";
    res.writeHead(code, { "content-type": isPage ? "text/html" : "application/json", ...headers });
    res.end(isPage ? body : JSON.stringify(body));
  },
});

const errorBody = (message: string, type = "error", code: string | number | null = null) => ({
  error: { message, type, code },
});

const stream = (name: string, ends: Ends, send: (res: ServerResponse) => void, midway = false): NamedFault => ({
  name,
  ends,
  midway,
  respond: (_call, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.flushHeaders();
    send(res);
  },
});

const events = (name: string, ends: Ends, list: readonly object[], midway = false): NamedFault =>
  stream(name, ends, (res) => res.end(toSse(list)), midway);

const raw = (name: string, ends: Ends, body: string | Uint8Array, midway = false): NamedFault =>
  stream(name, ends, (res) => res.end(body), midway);

const answer = [text("Stones "), text("keep "), text("words 🪨."), finish()];
const half = [text("Stones "), text("keep ")].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const html = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
const toolEnd = finish("tool_calls");

/** Writes until the client disconnects, never faster than it reads. */
const pour = (res: ServerResponse, piece: string, everyMs: number | null): void => {
  const go = (): void => {
    if (res.destroyed || res.writableEnded) return;
    const free = res.write(piece);
    if (everyMs !== null) setTimeout(go, everyMs).unref();
    else if (free) setImmediate(go);
    else res.once("drain", go);
  };
  go();
};

const slowDown = (wait: string): Answer => ({ body: errorBody("Slow down"), headers: { "retry-after": wait } });
const refusal = (...words: Parameters<typeof errorBody>): Answer => ({ body: errorBody(...words) });

const httpFaults: readonly NamedFault[] = [
  status("429 without Retry-After", 429, ["rate-limited"], refusal("Rate limit exceeded", "rate_limit_error")),
  status("429 with seconds", 429, ["rate-limited"], slowDown("1")),
  status("429 with a date", 429, ["rate-limited"], slowDown("Wed, 21 Oct 2099 07:28:00 GMT")),
  status("429 with a huge wait", 429, ["rate-limited"], slowDown("99999999999")),
  status("429 with a nonsense wait", 429, ["rate-limited"], slowDown("soon-ish")),
  status("429 with a negative wait", 429, ["rate-limited"], slowDown("-5")),
  status("429 out of quota", 429, ["no-credit"], refusal("You exceeded your current quota", "insufficient_quota")),
  status("400 too long", 400, ["too-long"], refusal("This model's maximum context length is 8192 tokens")),
  status("400 bad request", 400, ["bad-request"], refusal("Unrecognized argument: foo", "invalid_request_error")),
  status("401", 401, ["unauthorized"], refusal("Incorrect API key provided: sk-or-v1-secret", "authentication_error")),
  status("402", 402, ["no-credit"], refusal("Insufficient credits", "payment", 402)),
  status("403 moderation", 403, ["refused"], refusal("Your input was flagged by moderation", "moderation", 403)),
  status("404", 404, ["not-found"], refusal("No endpoints found for test/model", "not_found", 404)),
  status("413", 413, ["too-long"], refusal("Payload too large")),
  status("418 with an empty body", 418, ["bad-request"], { body: {} }),
  status("500", 500, ["server-error"], refusal("Internal server error", "server_error", 500)),
  status("502 as a web page", 502, ["server-error"], { body: html }),
  status("503", 503, ["overloaded"], refusal("Service unavailable", "server_error", 503)),
  status("504", 504, ["timed-out"], refusal("Gateway timeout")),
  status("529", 529, ["overloaded"], refusal("Overloaded", "overloaded_error")),
  {
    name: "500 that echoes the key",
    ends: ["server-error"],
    respond: ({ headers }, res) => {
      res.writeHead(500, { "content-type": "application/json" });
      res.end(JSON.stringify(errorBody(`upstream refused ${headers.authorization ?? "nothing"}`)));
    },
  },
  {
    name: "redirects elsewhere",
    ends: ["not-found"],
    respond: ({ path }, res) => {
      res.writeHead(307, { location: path });
      res.end();
    },
  },
];

const connectionFaults: readonly NamedFault[] = [
  {
    name: "reset before the headers",
    ends: ["cut", "unreachable"],
    respond: (_call, res) => void res.socket?.resetAndDestroy(),
  },
  {
    name: "closed before the headers",
    ends: ["cut", "unreachable"],
    respond: (_call, res) => void res.socket?.destroy(),
  },
  {
    name: "not HTTP at all",
    ends: ["garbled", "cut"],
    respond: (_call, res) => void res.socket?.end("SSH-2.0-OpenSSH_9.9\r\n"),
  },
  { name: "headers never come", ends: ["stalled"], respond: () => {} },
  stream("stalls before the first chunk", ["stalled"], () => {}),
  {
    ...stream("sends only comments, endlessly", ["time-limit"], (res) => pour(res, ": still working\n\n", 5)),
    needs: "total-timeout",
  },
  stream("stalls midway", ["stalled"], (res) => void res.write(half), true),
  {
    ...stream("sends empty deltas endlessly", ["finish"], (res) => {
      pour(res, `data: ${JSON.stringify(text(""))}\n\ndata: ${JSON.stringify(text("."))}\n\n`, 5);
    }),
    midway: true,
    needs: "total-timeout",
  },
  stream(
    "cut within an event",
    ["cut"],
    (res) => {
      res.write(`${half}data: {"id":"gen-te`, () => res.socket?.destroy());
    },
    true,
  ),
  stream("reset midway", ["cut"], (res) => void res.write(half, () => res.socket?.resetAndDestroy()), true),
  raw("ends without a finish reason", ["cut"], half, true),
  raw("ends without a finish reason but with DONE", ["finish"], `${half}data: [DONE]\n\n`, true),
  raw("ends within a tool call", ["cut"], `data: ${JSON.stringify(call(0, "c1", "now", '{"zo'))}\n\n`),
  raw("an empty body", ["cut"], ""),
  raw("only DONE", ["finish"], "data: [DONE]\n\n"),
  {
    name: "says gzip and is not",
    ends: ["garbled", "cut", "server-error", "unavailable"],
    respond: (_call, res) => {
      res.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      res.end(toSse(answer));
    },
  },
];

const bodyFaults: readonly NamedFault[] = [
  events(
    "an error event at once",
    ["server-error", "overloaded"],
    [errorBody("Provider returned error", "server_error", 502)],
  ),
  events(
    "an error event midway",
    ["overloaded"],
    [text("Stones "), errorBody("Overloaded", "overloaded_error", 529)],
    true,
  ),
  events("an error event without a message", ["server-error", "garbled"], [{ error: {} }]),
  raw("a web page with status 200", ["cut", "garbled"], html),
  raw("JSON instead of a stream", ["cut", "garbled"], JSON.stringify(errorBody("nope"))),
  raw("invalid JSON in an event", ["garbled"], `${half}data: {"id": oops}\n\n${toSse([finish()])}`, true),
  raw("null as an event", ["garbled"], `data: null\n\n${toSse(answer)}`),
  raw(
    "an unknown event",
    ["finish", "garbled"],
    `event: surprise\ndata: ${JSON.stringify(chunk({ hologram: true }))}\n\n${toSse(answer)}`,
  ),
  stream("characters split between chunks", ["finish"], (res) => dribble(res, Buffer.from(toSse(answer)), 3), true),
  stream("one byte at a time", ["finish"], (res) => dribble(res, Buffer.from(toSse(answer)), 1), true),
  raw("CR line ends", ["finish"], toSse(answer, "\r"), true),
  raw("CRLF line ends", ["finish"], toSse(answer, "\r\n"), true),
  raw("a byte order mark", ["finish"], `\uFEFF${toSse(answer)}`, true),
  raw("the last event without a blank line", ["finish", "cut"], toSse(answer).trimEnd(), true),
  stream("an event of 64 MB", ["garbled", "stalled"], (res) => {
    res.write('data: {"id":"');
    let left = 64;
    const go = (): void => {
      if (res.destroyed) return;
      if (left === 0) return void res.end('"}\n\n');
      left -= 1;
      res.write("x".repeat(1_000_000), go);
    };
    go();
  }),
  stream(
    "endless deltas",
    ["finish"],
    (res) => pour(res, `data: ${JSON.stringify(text("x".repeat(10_000)))}\n\n`, null),
    true,
  ),
  stream("an endless line", ["garbled", "stalled"], (res) => pour(res, "x".repeat(100_000), null)),
  events("half a character in each delta", ["finish"], [text("a\ud83e"), text("\udea8b"), finish()], true),
  events("a lone half and a NUL", ["finish"], [text("a\ud83eb\u0000c"), finish()], true),
  events("no usage", ["finish"], [...answer.slice(0, 3), finish("stop", null)], true),
  events(
    "negative usage",
    ["finish"],
    [...answer.slice(0, 3), finish("stop", { ...usage, prompt_tokens: -5, completion_tokens: -1 })],
    true,
  ),
  events(
    "absurd usage",
    ["finish", "garbled"],
    [...answer.slice(0, 3), finish("stop", { ...usage, prompt_tokens: 1e300 })],
    true,
  ),
  events(
    "usage of the wrong type",
    ["finish", "garbled"],
    [...answer.slice(0, 3), finish("stop", { ...usage, prompt_tokens: "many" })],
    true,
  ),
  events("stopped by length", ["finish"], [text("Stones "), finish("length")], true),
  events("stopped by a filter", ["finish"], [text("Stones "), finish("content_filter")], true),
  events("an unknown finish reason", ["finish"], [text("Stones "), finish("tired")], true),
  events("words after the finish", ["finish"], [text("Stones "), finish(), text("and more")], true),
];

const toolFaults: readonly NamedFault[] = [
  events(
    "the same index twice",
    ["finish", "garbled"],
    [call(0, "c1", "now", "{}"), call(0, "c2", "now", "{}"), toolEnd],
  ),
  events(
    "indexes out of order",
    ["finish", "garbled"],
    [call(2, "c3", "now", "{}"), call(0, "c1", "now", "{}"), toolEnd],
  ),
  events(
    "arguments that are not JSON",
    ["finish"],
    [call(0, "c1", "now", '{"zone": '), moreArguments(0, "oops"), toolEnd],
  ),
  events("empty arguments", ["finish"], [call(0, "c1", "now", ""), toolEnd]),
  events("an array as arguments", ["finish"], [call(0, "c1", "now", "[1,2]"), toolEnd]),
  events(
    "10 MB of arguments in one piece",
    ["garbled"],
    [call(0, "c1", "now", JSON.stringify({ zone: "x".repeat(10_000_000) })), toolEnd],
  ),
  events(
    "10 MB of arguments in pieces",
    ["garbled"],
    [
      call(0, "c1", "now", '{"zone":"'),
      ...Array.from({ length: 100 }, () => moreArguments(0, "x".repeat(100_000))),
      moreArguments(0, '"}'),
      toolEnd,
    ],
  ),
  events("an unknown tool", ["finish"], [call(0, "c1", "launch_rocket", "{}"), toolEnd]),
  events("a tool without a name", ["finish", "garbled"], [call(0, "c1", undefined, "{}"), toolEnd]),
  events("a tool with an empty name", ["finish", "garbled"], [call(0, "c1", "", "{}"), toolEnd]),
  events("a call without an id", ["finish", "garbled"], [call(0, undefined, "now", "{}"), toolEnd]),
  events("the same call id twice", ["finish"], [call(0, "c1", "now", "{}"), call(1, "c1", "now", "{}"), toolEnd]),
  events(
    "200 calls at once",
    ["finish"],
    [...Array.from({ length: 200 }, (_, at) => call(at, `c${at}`, "now", "{}")), toolEnd],
  ),
  events("says tool calls and makes none", ["finish"], [text("Stones "), toolEnd], true),
];

export const faults: readonly NamedFault[] = [...httpFaults, ...connectionFaults, ...bodyFaults, ...toolFaults];

/** In pieces of `size` bytes, one write each. */
const dribble = (res: ServerResponse, body: Buffer, size: number): void => {
  let at = 0;
  const go = (): void => {
    if (res.destroyed) return;
    if (at >= body.length) return void res.end();
    const piece = body.subarray(at, at + size);
    at += size;
    res.write(piece, () => setImmediate(go));
  };
  go();
};
