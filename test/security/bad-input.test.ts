import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../protocol/api.ts";
import { exchange, listenTestApp, createTestApp, origin, toRequest, type TestApp } from "./test-app.ts";

const post = { method: "POST", path: "/api/threads" };

async function refusalOf(door: TestApp, request: Request): Promise<string> {
  const response = await door.app.fetch(request);
  const { error } = (await response.json()) as { error?: { code: string } };
  return `${response.status} ${error?.code ?? "accepted"}`;
}

describe("bodies", () => {
  test.each([
    ["missing", "", "400 invalid"],
    ["not JSON", "{", "400 invalid"],
    ["an array", "[]", "400 invalid"],
    ["null", "null", "400 invalid"],
    ["empty", "{}", "400 invalid"],
    ["wrong-typed", '{"id":1}', "400 invalid"],
    ["too long in a field", `{"id":"${"x".repeat(129)}"}`, "400 invalid"],
    ["not UTF-8", Uint8Array.from(Buffer.from('{"id":"a","title":"\xff"}', "latin1")), "400 invalid"],
    ["half a letter in a title", '{"id":"a","title":"a\\ud800"}', "400 invalid"],
    ["NUL in a title", '{"id":"a","title":"a\\u0000"}', "400 invalid"],
    ["UTF-16", Uint8Array.from(Buffer.from('{"id":"a"}', "utf16le")), "400 invalid"],
    ["deep", `{"id":"a","x":${"[".repeat(400_000)}${"]".repeat(400_000)}}`, "201 accepted"],
    ["too large", `{"id":"a","x":"${"x".repeat(limits.bodyBytes)}"}`, "413 too-large"],
    ["just small enough", `{"id":"a","x":"${"x".repeat(limits.bodyBytes - 18)}"}`, "201 accepted"],
    ["with a byte order mark", '\ufeff{"id":"a"}', "201 accepted"],
  ])("%s: %#", async (_, body, expected) => {
    expect(await refusalOf(createTestApp(), toRequest(post, { body }))).toBe(expected);
  });

  test.each(["application/json; charset=utf-16", "application/json-seq", "text/json", "application/json, text/plain"])(
    "of type %s are unsupported",
    async (type) => {
      expect(
        await refusalOf(createTestApp(), toRequest(post, { headers: { "content-type": type }, body: '{"id":"a"}' })),
      ).toBe("415 unsupported");
    },
  );

  test.each(["application/json", "Application/JSON; Charset=UTF-8", 'application/json;charset="utf-8"'])(
    "of type %s are read",
    async (type) => {
      expect(
        await refusalOf(createTestApp(), toRequest(post, { headers: { "content-type": type }, body: '{"id":"a"}' })),
      ).toBe("201 accepted");
    },
  );

  test("compressed bodies are unsupported, so decompression bombs cannot work", async () => {
    const request = toRequest(post, { headers: { "content-encoding": "gzip" }, body: '{"id":"a"}' });
    expect(await refusalOf(createTestApp(), request)).toBe("415 unsupported");
  });

  test("may be omitted where a route takes none", async () => {
    const path = `${origin}/api/threads/t-1`;
    expect(await refusalOf(createTestApp(), new Request(path, { method: "DELETE" }))).toBe("200 accepted");
    expect(await refusalOf(createTestApp(), toRequest({ method: "DELETE", path: "/api/threads/:threadId" }))).toBe(
      "200 accepted",
    );
  });

  test("an invalid field is named, and its value is not repeated", async () => {
    const response = await createTestApp().app.fetch(toRequest(post, { body: '{"id":"a","title":["a secret"]}' }));
    const text = await response.text();
    expect(text).toContain("title");
    expect(text).not.toContain("a secret");
  });
});

describe("URLs", () => {
  test.each([
    ["/api/threads/%00", "400 invalid"],
    ["/api/threads/..%2f..%2fetc", "400 invalid"],
    ["/api/threads/%ZZ", "400 invalid"],
    ["/api/threads/a%0d%0ax", "400 invalid"],
    [`/api/threads/${"x".repeat(129)}`, "400 invalid"],
    ["/api/threads?limit=0", "400 invalid"],
    ["/api/threads?limit=1e3", "400 invalid"],
    ["/api/threads?limit=5&limit=6", "400 invalid"],
    ["/api/threads/a/messages?before=-1", "400 invalid"],
    ["/api/threads/a/messages?before=99999999999999999999", "400 invalid"],
    ["/api/nothing", "404 not-found"],
    ["/api/threads/", "404 not-found"],
    ["/api/threads/a/stream/", "404 not-found"],
    ["/..%2fpackage.json", "404 not-found"],
    ["/.env", "404 not-found"],
    ["/assets/..%2f..%2fpackage.json", "404 not-found"],
    ["//evil.example/", "404 not-found"],
  ])("the URL %s is refused", async (path, expected) => {
    expect(await refusalOf(createTestApp(), new Request(origin + path))).toBe(expected);
  });
});

describe("on the wire", () => {
  let door: TestApp & { port: number };
  beforeAll(async () => void (door = await listenTestApp({ bodyTimeoutMs: 100 })));
  afterAll(() => door.app.close(0));
  const head = (lines: string) =>
    `POST /api/threads HTTP/1.1\r\nhost: localhost:${door.port}\r\ncontent-type: application/json\r\n${lines}\r\n`;

  test("rejects an endless chunked body at the limit", async () => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    expect(
      await exchange(door.port, head("transfer-encoding: chunked\r\nconnection: close\r\n") + chunk.repeat(20)),
    ).toContain("413 ");
  });

  test("rejects a Content-Length over the limit before reading the body", async () => {
    expect(await exchange(door.port, head("content-length: 99999999999\r\nconnection: close\r\n"))).toContain("413 ");
  });

  test("rejects a body that never arrives after a timeout", async () => {
    const answer = await exchange(door.port, `${head("content-length: 50\r\nconnection: close\r\n")}{"id`);
    expect(answer).toContain("HTTP/1.1 400");
    expect(answer).toContain("took too long");
  });

  test("a client that disconnects in the middle of a body causes no error", async () => {
    const socket = connect(door.port, "127.0.0.1");
    socket.write(`${head("content-length: 50\r\n")}{"id`, () => socket.resetAndDestroy());
    await new Promise((resolve) => socket.once("close", resolve));
    expect((await fetch(`http://localhost:${door.port}/healthz`)).status).toBe(200);
  });

  test.each([
    ["no request at all", "\u0016\u0003\u0001\r\n\r\n", 400],
    ["a request without Host", "GET /api/me HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
    ["an old request without Host", "GET /api/me HTTP/1.0\r\n\r\n", 400],
    ["a stream by HTTP/1.0, as proxies speak", "GET /api/stream HTTP/1.0\r\n\r\n", 403],
    [
      "a foreign absolute address",
      "GET http://evil.example/api/me HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
      421,
    ],
    ["a Host that is no host", "GET /api/me HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n", 400],
    [
      "two lengths",
      "POST /api/threads HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}",
      400,
    ],
    ["headers beyond measure", `GET / HTTP/1.1\r\nhost: x\r\na: ${"x".repeat(20_000)}\r\n\r\n`, 413],
    [
      "an unknown expectation",
      "GET /healthz HTTP/1.1\r\nhost: evil.example\r\nexpect: miracles\r\nconnection: close\r\n\r\n",
      421,
    ],
  ])("%s is refused", async (_, text, status) => {
    const answer = await exchange(door.port, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('{"error":{"code":"');
  });

  test.each(["TRACE", "PUT", "PROPFIND", "OPTIONS"])("%s is not found", async (method) => {
    const answer = await exchange(
      door.port,
      `${method} /api/threads HTTP/1.1\r\nhost: localhost:${door.port}\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
  });
});

describe("bugs", () => {
  test("return only a request id, are logged in full, and do not stop the server", async () => {
    const door = createTestApp({
      metrics: async () => {
        throw new Error("the password is hunter2");
      },
    });
    const response = await door.app.fetch(new Request(`${origin}/metrics`));
    const text = await response.text();
    const { error } = JSON.parse(text) as { error: { code: string; requestId: string } };
    expect(response.status).toBe(500);
    expect(error.code).toBe("bug");
    expect(text).not.toContain("hunter2");
    expect(door.lines.some((line) => line.includes(error.requestId) && line.includes("hunter2"))).toBe(true);
    expect((await door.app.fetch(new Request(`${origin}/healthz`))).status).toBe(200);
  });

  test("a response that violates its schema is a 500 when checking is on", async () => {
    expect((await createTestApp({ checkResponses: true }).app.fetch(new Request(`${origin}/api/me`))).status).toBe(500);
    expect((await createTestApp().app.fetch(new Request(`${origin}/api/me`))).status).toBe(200);
  });
});

describe("the token", () => {
  test("never appears in logs or responses", async () => {
    const token = "canary-3f9a1c77e2-token";
    const door = createTestApp({ token });
    const cookie =
      (
        await door.app.fetch(toRequest({ method: "POST", path: "/api/sign-in" }, { body: JSON.stringify({ token }) }))
      ).headers.get("set-cookie") ?? "";
    const answers: string[] = [cookie];
    for (const route of door.app.routes.filter(({ path }) => !path.endsWith("/stream"))) {
      for (const headers of [
        { authorization: `Bearer ${token}` },
        { authorization: `Bearer x${token}` },
        { cookie: cookie.split(";")[0] ?? "" },
      ]) {
        for (const body of [
          `{"token":"${token}"`,
          `{"token":["${token}"]}`,
          `{"id":"${token}!","title":{"a":"${token}"}}`,
        ]) {
          const response = await door.app.fetch(toRequest(route, { headers, body }));
          answers.push(await response.text(), JSON.stringify([...response.headers]));
        }
      }
    }
    expect(door.lines.length).toBeGreaterThan(100);
    expect(answers.length).toBeGreaterThan(100);
    expect([...door.lines, ...answers].filter((line) => line.includes(token))).toEqual([]);
  });
});
