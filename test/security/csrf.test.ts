import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fill, listenTestApp, createTestApp, toRequest, type TestApp } from "./test-app.ts";

/** Uses raw requests, because `fetch` does not allow these headers. */
const ask = (port: number, route: { method: string; path: string }, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const isRead = route.method === "GET";
    const type = isRead ? {} : { "content-type": "application/json", "content-length": "2" };
    const sent = request({
      port,
      host: "127.0.0.1",
      method: route.method,
      path: fill(route.path),
      headers: { ...type, ...headers },
    });
    sent.on("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on("error", reject);
    sent.end(isRead ? undefined : "{}");
  });

describe("cross-site requests", () => {
  let door: TestApp & { port: number };
  beforeAll(
    async () =>
      void (door = await listenTestApp({ config: { host: "127.0.0.1", port: 0, hosts: ["chat.example.com"] } })),
  );
  afterAll(() => door.app.close(0));
  const countCalls = () => [...door.calls.values()].reduce((sum, count) => sum + count, 0);

  test("rejects an unknown Host with 421 on every route, page and stream", async () => {
    const before = countCalls();
    for (const route of [...door.app.routes, { method: "GET", path: "/" }, { method: "GET", path: "/assets/a.js" }]) {
      for (const host of [
        "evil.example",
        `evil.example:${door.port}`,
        "localhost:1",
        "localhost",
        "127.0.0.1.evil.example",
        "10.0.0.1",
      ]) {
        expect(await ask(door.port, route, { host }), `${route.path} as ${host}`).toBe(421);
      }
    }
    expect(countCalls()).toBe(before);
  });

  test("accepts our own host names", async () => {
    for (const host of [
      `localhost:${door.port}`,
      `127.0.0.1:${door.port}`,
      `[::1]:${door.port}`,
      "LOCALHOST:" + door.port,
      "chat.example.com",
      "chat.example.com:8443",
    ]) {
      expect(await ask(door.port, { method: "GET", path: "/api/me" }, { host }), host).toBe(200);
      expect(await ask(door.port, { method: "GET", path: "/api/stream" }, { host }), host).toBe(200);
    }
  });

  test("rejects another or opaque Origin on every route and stream", async () => {
    const before = countCalls();
    for (const route of door.app.routes) {
      for (const from of [
        "https://evil.example",
        "null",
        `http://localhost:${door.port + 1}`,
        "http://localhost",
        "file://",
        "x",
        "",
      ]) {
        expect(
          await ask(door.port, route, { host: `localhost:${door.port}`, origin: from }),
          `${route.path} from ${from}`,
        ).toBe(403);
      }
    }
    expect(countCalls()).toBe(before);
  });

  test("accepts our own Origin, also behind a TLS proxy", async () => {
    const me = { method: "GET", path: "/api/me" };
    expect(await ask(door.port, me, { host: `localhost:${door.port}`, origin: `http://localhost:${door.port}` })).toBe(
      200,
    );
    expect(await ask(door.port, me, { host: "chat.example.com", origin: "https://chat.example.com" })).toBe(200);
    expect(await ask(door.port, me, { host: "chat.example.com:443", origin: "https://chat.example.com" })).toBe(200);
    expect(await ask(door.port, me, { host: `127.0.0.1:${door.port}`, origin: "https://chat.example.com" })).toBe(200);
  });

  test("the API rejects requests marked cross-site by the browser", async () => {
    for (const route of door.app.routes.filter(({ path }) => path.startsWith("/api/") && path !== "/api/docs")) {
      for (const site of ["cross-site", "same-site"]) {
        expect(await ask(door.port, route, { "sec-fetch-site": site }), route.path).toBe(403);
      }
    }
    for (const site of ["same-origin", "none"]) {
      expect(await ask(door.port, { method: "GET", path: "/api/me" }, { "sec-fetch-site": site })).toBe(200);
    }
  });

  test("writing routes reject every content type a form can send", async () => {
    const { app, calls } = createTestApp();
    const changing = app.routes.filter(({ method }) => method !== "GET");
    expect(changing.length).toBeGreaterThan(8);
    for (const route of changing) {
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain;application/json",
      ]) {
        const response = await app.fetch(toRequest(route, { headers: { "content-type": type } }));
        expect(response.status, `${route.path} as ${type}`).toBe(415);
      }
      const untyped = new Request(toRequest(route), { method: route.method, body: new Blob(["{}"]) });
      untyped.headers.delete("content-type");
      expect((await app.fetch(untyped)).status, `${route.path} untyped`).toBe(415);
    }
    expect(calls.size).toBe(0);
  });

  test("a preflight is not granted", async () => {
    const headers = {
      host: `localhost:${door.port}`,
      origin: "https://evil.example",
      "access-control-request-method": "POST",
    };
    expect(await ask(door.port, { method: "OPTIONS", path: "/api/threads" }, headers)).toBe(403);
  });
});
