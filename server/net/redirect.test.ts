import { expect, test } from "vitest";
import type { OutboundRequest } from "./exchange.ts";
import { findNext, findRetryMs } from "./redirect.ts";

const body = new Uint8Array();
const ask: OutboundRequest = {
  url: new URL("https://a.example/x/y?q"),
  method: "POST",
  headers: { accept: "*/*", authorization: "Bearer k", cookie: "c=1", "x-api-key": "k", "content-type": "text/plain" },
  body: "words",
};
const follow = (status: number, location: string, from: OutboundRequest = ask) =>
  findNext(from, { status, headers: { location }, body });

test.each([200, 204, 300, 304, 404])("%i is not a redirect", (status) => {
  expect(follow(status, "/z")).toBeUndefined();
});

test("a redirect without a location is a final response", () => {
  expect(findNext(ask, { status: 302, headers: {}, body })).toBeUndefined();
});

test.each([301, 302, 303])("changes a POST to a GET without a body after %i", (status) => {
  const next = follow(status, "../z");
  expect(next).toMatchObject({ method: "GET", body: undefined });
  expect(next?.url.href).toBe("https://a.example/z");
  expect(next?.headers).toEqual({ accept: "*/*", authorization: "Bearer k", cookie: "c=1", "x-api-key": "k" });
});

test.each([307, 308])("keeps a POST after %i", (status) => {
  expect(follow(status, "/z")).toMatchObject({ method: "POST", body: "words", headers: ask.headers });
});

test.each(["https://b.example/", "http://a.example/", "https://a.example:8443/", "//b.example/"])(
  "sends no secrets to %s",
  (location) => {
    expect(follow(307, location)?.headers).toEqual({ accept: "*/*", "content-type": "text/plain" });
  },
);

test("reads an unescaped location as UTF-8", () => {
  expect(follow(302, Buffer.from("/é").toString("latin1"))?.url.pathname).toBe("/%C3%A9");
});

test.each(["file:///etc/passwd", "http://u:p@b.example/", "gopher://b.example", "http://[::1", "https://"])(
  "%s is not followed",
  (location) => {
    expect(() => follow(302, location)).toThrow(expect.objectContaining({ code: "bad-url" }));
  },
);

const now = Date.parse("2026-01-01T00:00:00Z");
const retry = (method: OutboundRequest["method"], status: number, after?: string) =>
  findRetryMs(method, { status, headers: after === undefined ? {} : { "retry-after": after }, body }, now);

test("allows one retry if the server asks for it, soon, and it is safe", () => {
  expect(retry("GET", 429, "2")).toBe(2000);
  expect(retry("GET", 503, "Thu, 01 Jan 2026 00:00:03 GMT")).toBe(3000);
  expect(retry("POST", 429, "0")).toBe(0);
});

test.each([
  ["no time given", retry("GET", 429)],
  ["too long a wait", retry("GET", 429, "6")],
  ["a date in the past", retry("GET", 503, "Wed, 31 Dec 2025 00:00:00 GMT")],
  ["nonsense", retry("GET", 503, "soon")],
  ["a different error", retry("GET", 500, "1")],
  ["a POST that may have taken effect", retry("POST", 503, "1")],
])("does not retry: %s", (_, ms) => {
  expect(ms).toBeUndefined();
});
