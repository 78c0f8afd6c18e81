import { mkdtemp, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { App } from "../../server/http/app.ts";
import { securityHeaders } from "../../server/http/reply.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { authenticateInMemory } from "../support/net/sessions.ts";
import { exchange, fill, listenTestApp, createTestApp, origin, toRequest } from "./test-app.ts";

/** Attached files get a stricter policy than our own. */
const files = ["/api/attachments/:attachmentId/file", "/api/attachments/:attachmentId/pages/:page"];
const inert = { ...securityHeaders, "content-security-policy": "default-src 'none'; sandbox" };

const expectHeaders = (response: Response, expected: Readonly<Record<string, string>> = securityHeaders): void => {
  for (const [name, value] of Object.entries(expected)) expect(response.headers.get(name)).toBe(value);
  expect(response.headers.get("cache-control")).toBeTruthy();
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
};

describe("security headers", () => {
  let app: App;
  let url: string;
  beforeAll(async () => {
    const webDir = await mkdtemp(join(tmpdir(), "page-"));
    await mkdir(join(webDir, "assets"));
    await writeFile(join(webDir, "index.html"), "<!doctype html>");
    await writeFile(join(webDir, "assets/a-123.js"), "1");
    ({ app, url } = await listenTestApp({ webDir }));
  });
  afterAll(() => app.close(0));

  test("are set on every route's responses, and API responses are never cached", async () => {
    expect(app.routes.length).toBeGreaterThan(20);
    for (const route of app.routes) {
      for (const headers of [
        {},
        { host: "evil.example" },
        { origin: "https://evil.example" },
        { "content-type": "text/plain" },
      ]) {
        const response = await send(url, route, headers);
        expectHeaders(response, files.includes(route.path) && response.ok ? inert : securityHeaders);
        expect(response.headers.get("cache-control"), route.path).toContain("no-store");
        await response.body?.cancel();
      }
    }
  });

  test("are set on the page, its files, 404s and other methods", async () => {
    for (const [method, path] of [
      ["GET", "/"],
      ["HEAD", "/"],
      ["GET", "/t/abc"],
      ["GET", "/assets/a-123.js"],
      ["GET", "/nothing"],
      ["PUT", "/api/me"],
      ["OPTIONS", "/api/threads"],
    ] as const) {
      expectHeaders(await fetch(url + path, { method }));
    }
  });

  test("are set on 500, 401 and 503 responses", async () => {
    const broken = createTestApp({
      metrics: async () => {
        throw new Error("boom");
      },
      health: async () => ({ ok: false, why: "The database is away." }),
    });
    const bug = await broken.app.fetch(new Request(`${origin}/metrics`));
    expect(bug.status).toBe(500);
    expectHeaders(bug);
    const unready = await broken.app.fetch(new Request(`${origin}/readyz`));
    expect(unready.status).toBe(503);
    expectHeaders(unready);
    const closed = createTestApp({
      authentication: authenticateInMemory("0123456789abcdef", systemClock),
    });
    const anonymous = await closed.app.fetch(new Request(`${origin}/api/me`));
    expect(anonymous.status).toBe(401);
    expectHeaders(anonymous);
  });

  test("are set on requests that Node itself rejects", async () => {
    const { port } = new URL(url);
    for (const text of ["NONSENSE\r\n\r\n", `GET / HTTP/1.1\r\nhost: x\r\nbig: ${"x".repeat(20_000)}\r\n\r\n`]) {
      const answer = await exchange(Number(port), text);
      for (const [name, value] of Object.entries(securityHeaders)) expect(answer).toContain(`${name}: ${value}`);
    }
  });
});

function send(
  url: string,
  route: { method: string; path: string },
  headers: Record<string, string>,
): Promise<Response> {
  const { method, body } = toRequest(route, { headers });
  const isRead = method === "GET";
  return fetch(url + fill(route.path), {
    method,
    headers: { ...(isRead ? {} : { "content-type": "application/json" }), ...headers },
    ...(isRead || body === null ? {} : { body: "{}" }),
  });
}
