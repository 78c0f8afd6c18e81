import { expect, test } from "vitest";
import type { Ask } from "./exchange.ts";
import { findNext, findRetryMs } from "./redirect.ts";

const body = new Uint8Array();
const ask: Ask = {
  url: new URL("https://a.example/x/y?q"),
  method: "POST",
  headers: { accept: "*/*", authorization: "Bearer k", cookie: "c=1", "x-api-key": "k", "content-type": "text/plain" },
  body: "words",
};
const follow = (status: number, location: string, from: Ask = ask) =>
  findNext(from, { status, headers: { location }, body });

test.each([200, 204, 300, 304, 404])("%i is an answer", (status) => {
  expect(follow(status, "/z")).toBeUndefined();
});

test("a redirect that names no place is an answer", () => {
  expect(findNext(ask, { status: 302, headers: {}, body })).toBeUndefined();
});

test.each([301, 302, 303])("after %i a POST is a GET without a body", (status) => {
  const next = follow(status, "../z");
  expect(next).toMatchObject({ method: "GET", body: undefined });
  expect(next?.url.href).toBe("https://a.example/z");
  expect(next?.headers).toEqual({ accept: "*/*", authorization: "Bearer k", cookie: "c=1", "x-api-key": "k" });
});

test.each([307, 308])("after %i a POST stays one", (status) => {
  expect(follow(status, "/z")).toMatchObject({ method: "POST", body: "words", headers: ask.headers });
});

test.each(["https://b.example/", "http://a.example/", "https://a.example:8443/", "//b.example/"])(
  "nothing secret goes on to %s",
  (location) => {
    expect(follow(307, location)?.headers).toEqual({ accept: "*/*", "content-type": "text/plain" });
  },
);

test("a place that is not escaped is read as UTF-8", () => {
  expect(follow(302, Buffer.from("/é").toString("latin1"))?.url.pathname).toBe("/%C3%A9");
});

test.each(["file:///etc/passwd", "http://u:p@b.example/", "gopher://b.example", "http://[::1", "https://"])(
  "%s leads nowhere",
  (location) => {
    expect(() => follow(302, location)).toThrow(expect.objectContaining({ code: "bad-url" }));
  },
);

const now = Date.parse("2026-01-01T00:00:00Z");
const retry = (method: Ask["method"], status: number, after?: string) =>
  findRetryMs(method, { status, headers: after === undefined ? {} : { "retry-after": after }, body }, now);

test("one more try is made when it is asked for, soon and harmless", () => {
  expect(retry("GET", 429, "2")).toBe(2000);
  expect(retry("GET", 503, "Thu, 01 Jan 2026 00:00:03 GMT")).toBe(3000);
  expect(retry("POST", 429, "0")).toBe(0);
});

test.each([
  ["no word of when", retry("GET", 429)],
  ["too long a wait", retry("GET", 429, "6")],
  ["a day that has passed", retry("GET", 503, "Wed, 31 Dec 2025 00:00:00 GMT")],
  ["nonsense", retry("GET", 503, "soon")],
  ["another error", retry("GET", 500, "1")],
  ["a POST that may have taken effect", retry("POST", 503, "1")],
])("there is no second try for %s", (_, ms) => {
  expect(ms).toBeUndefined();
});
