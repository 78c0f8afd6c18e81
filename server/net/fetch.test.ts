import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../lib/clock.ts";
import { createFetch, decodeDocument, type FetchOptions } from "./fetch.ts";

type ReceivedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

let server: Server;
let origin = "";
let seen: ReceivedRequest[] = [];
let answer: (request: ReceivedRequest, response: ServerResponse) => void = (_request, response) => void response.end();

beforeAll(async () => {
  server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.once("end", () => {
      seen.push({ method, url, headers, body });
      answer({ method, url, headers, body }, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  seen = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const create = (more?: Partial<FetchOptions>) =>
  createFetch({
    userAgent: "Stonechat/1.2.3 (+self-hosted)",
    clock: systemClock,
    allowPrivate: ["127.0.0.1", "inside.example", "other.example"],
    resolve: () => Promise.resolve(["127.0.0.1"]),
    spacingMs: 0,
    ...more,
  });

test("returns type, charset and final URL of a response", async () => {
  answer = (_request, response) => {
    response.writeHead(404, { "Content-Type": 'Text/HTML; x=1; Charset="ISO-8859-1"', "X-Twice": ["a", "b"] });
    response.end(Buffer.from("caf\xe9", "latin1"));
  };
  const fetched = await create()(`${origin}/a?b#c`);
  expect(fetched).toMatchObject({ status: 404, type: "text/html", charset: "iso-8859-1", redirects: [] });
  expect(fetched.url).toBe(`${origin}/a?b#c`);
  expect(fetched.headers["x-twice"]).toBe("a, b");
  expect(decodeDocument(fetched)).toBe("café");
  expect(seen.map(({ url }) => url)).toEqual(["/a?b"]);
});

test("sends its user agent and ignores the caller's connection headers", async () => {
  answer = (_request, response) => void response.end();
  const headers = {
    "User-Agent": "Mozilla/5.0",
    Host: "evil.example",
    "Accept-Encoding": "exi",
    "Content-Length": "1",
    "X-A": "1",
  };
  await create()(`${origin}/`, { method: "POST", headers, body: "wörds" });
  const [{ headers: sent, body, method } = { headers: {}, body: "", method: "" }] = seen;
  expect({ method, body }).toEqual({ method: "POST", body: "wörds" });
  expect(sent).toMatchObject({ "user-agent": "Stonechat/1.2.3 (+self-hosted)", "x-a": "1", "content-length": "6" });
  expect(sent["accept-encoding"]).toBe("gzip, deflate, br, zstd");
  expect(sent.host).toBe(new URL(origin).host);
});

test("refuses an invalid header before sending anything", async () => {
  const broken = create()(`${origin}/`, { headers: { "x-a": "a\r\nx-b: c" } });
  await expect(broken).rejects.toMatchObject({ code: "protocol" });
  expect(seen).toEqual([]);
});

test.each([
  ["identity", (body: Buffer) => body],
  ["gzip", gzipSync],
  ["X-GZIP", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
] as const)("decodes a body in %s", async (encoding, encode) => {
  const text = "words and stones ".repeat(5000);
  answer = (_request, response) => {
    response.writeHead(200, { "content-encoding": encoding }).end(encode(Buffer.from(text)));
  };
  expect(decodeDocument(await create()(`${origin}/`))).toBe(text);
});

test.each([204, 304, 200])("accepts %i without a body, even if it claims an encoding", async (status) => {
  answer = (_request, response) => void response.writeHead(status, { "content-encoding": "gzip" }).end();
  expect(await create()(`${origin}/`)).toMatchObject({ status, body: new Uint8Array() });
});

test("follows up to five redirects and lists them", async () => {
  answer = ({ url }, response) => {
    const left = Number(url.slice(1));
    if (left === 0) response.end("there");
    else response.writeHead(302, { location: `${left - 1}` }).end("not read");
  };
  const fetched = await create()(`${origin}/5`);
  expect(fetched.url).toBe(`${origin}/0`);
  expect(fetched.redirects).toEqual([5, 4, 3, 2, 1].map((left) => `${origin}/${left}`));
  await expect(create()(`${origin}/6`)).rejects.toMatchObject({ code: "too-many-redirects" });
});

test("sends keys only to their origin", async () => {
  const port = new URL(origin).port;
  answer = ({ url }, response) => {
    if (url === "/1") response.writeHead(307, { location: "/2" }).end();
    else if (url === "/2") response.writeHead(307, { location: `http://other.example:${port}/3` }).end();
    else response.end();
  };
  const headers = { Authorization: "Bearer k", Cookie: "c", "X-Api-Key": "k", Accept: "text/html" };
  await create()(`http://inside.example:${port}/1`, { headers });
  const keys = seen.map(({ headers: sent }) => [sent.authorization, sent.cookie, sent["x-api-key"], sent.accept]);
  const all = ["Bearer k", "c", "k", "text/html"];
  expect(keys).toEqual([all, all, [undefined, undefined, undefined, "text/html"]]);
});

test("retries once after the delay that the server asks for", async () => {
  answer = (_request, response) => {
    if (seen.length === 1) response.writeHead(429, { "retry-after": "0" }).end("later");
    else response.end("now");
  };
  expect(decodeDocument(await create()(`${origin}/`))).toBe("now");
  seen = [];
  answer = (_request, response) => void response.writeHead(503, { "retry-after": "0" }).end("later");
  expect((await create()(`${origin}/`)).status).toBe(503);
  expect(seen).toHaveLength(2);
  await create()(`${origin}/`, { method: "POST" });
  expect(seen).toHaveLength(3);
});

test("does not wait longer than the deadline", async () => {
  answer = (_request, response) => void response.writeHead(429, { "retry-after": "5" }).end("later");
  expect((await create()(`${origin}/`, { timeoutMs: 4000 })).status).toBe(429);
  expect(seen).toHaveLength(1);
});

test("sends at most two requests to a host at a time", async () => {
  let most = 0;
  const waiting: ServerResponse[] = [];
  answer = (_request, response) => {
    waiting.push(response);
    most = Math.max(most, waiting.length);
    if (waiting.length === 2 || seen.length === 5) for (const one of waiting.splice(0)) one.end();
  };
  const fetch = create();
  await Promise.all([1, 2, 3, 4, 5].map((n) => fetch(`${origin}/${n}`)));
  expect({ most, count: seen.length }).toEqual({ most: 2, count: 5 });
});

test("checks robots.txt of every origin on the way if requested", async () => {
  const port = new URL(origin).port;
  answer = ({ url, headers }, response) => {
    if (url === "/robots.txt")
      response.end(headers.host?.startsWith("other") ? "User-agent: stonechat\nDisallow: /b" : "");
    else response.writeHead(302, { location: `http://other.example:${port}/b` }).end();
  };
  const fetch = create();
  await expect(fetch(`http://inside.example:${port}/a`, { robots: true })).rejects.toMatchObject({ code: "robots" });
  expect(seen.map(({ url, headers }) => `${headers.host?.split(".")[0]}${url}`)).toEqual([
    "inside/robots.txt",
    "inside/a",
    "other/robots.txt",
  ]);
  seen = [];
  answer = (_request, response) => void response.end();
  await fetch(`http://other.example:${port}/b`);
  expect(seen).toHaveLength(1);
});

test("tries the next address when one cannot be reached", async () => {
  const dials: string[] = [];
  answer = (_request, response) => void response.end("there");
  const { dialTcp } = await import("./connect.ts");
  const fetch = create({
    resolve: () => Promise.resolve(["127.0.0.9", "127.0.0.1"]),
    dial: (to, signal) => {
      dials.push(to.address);
      return to.address === "127.0.0.1" ? dialTcp(to, signal) : Promise.reject(new Error("ECONNREFUSED"));
    },
  });
  expect(decodeDocument(await fetch(`http://inside.example:${new URL(origin).port}/`))).toBe("there");
  expect(dials).toEqual(["127.0.0.9", "127.0.0.1"]);
});

test("uses the system resolver by default", async () => {
  answer = (_request, response) => void response.end("there");
  const fetch = createFetch({ userAgent: "Stonechat/0", clock: systemClock, allowPrivate: ["localhost"] });
  expect(decodeDocument(await fetch(`http://localhost:${new URL(origin).port}/`))).toBe("there");
});

test("gives up on an address that does not respond, and closes late connections", async () => {
  let isClosed = false;
  const late = Promise.withResolvers<never>();
  const fetch = create({ connectMs: 20, dial: () => late.promise });
  await expect(fetch("http://inside.example/")).rejects.toMatchObject({ code: "connect" });
  late.resolve({ destroy: () => (isClosed = true) } as never);
  await expect.poll(() => isClosed).toBe(true);
});

test("reports a refused connection as such", async () => {
  const empty = createServer().listen(0, "127.0.0.1");
  await once(empty, "listening");
  const { port } = empty.address() as AddressInfo;
  await new Promise((resolve) => empty.close(resolve));
  await expect(create()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: "connect" });
  const unknown = create({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
  await expect(unknown("http://nowhere.example/")).rejects.toMatchObject({ code: "dns" });
});

test("reports an invalid allow list at startup", () => {
  expect(() => create({ allowPrivate: ["http://inside"] })).toThrow("is not a host");
});
