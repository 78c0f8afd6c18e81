import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentication } from "../../server/auth/authenticate.ts";
import { authorize } from "../../server/auth/authorize.ts";
import { scopes, type Scope } from "../../protocol/scopes.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { authenticateInMemory, keysInMemory } from "../support/net/sessions.ts";
import { routeScopes as rows } from "./route-rows.ts";
import { fill, listenTestApp, threadId, type TestApp } from "./test-app.ts";

const token = "a-token-of-the-instance";

describe("every route with every credential", () => {
  let door: TestApp & { url: string };
  let cookie: string;
  let setCookie: string;
  const keys = keysInMemory(systemClock);
  /** Wrong keys are limited per minute, and there are hundreds of routes. */
  const passed = { ms: 0 };
  const createKey = async (...granted: Scope[]): Promise<string> => {
    const id = `${granted.join("-")}-${Math.random()}`;
    return (await keys.create({ userId: "local" }, { id, name: id, scopes: granted })).token;
  };
  const send = async (row: string, headers: Record<string, string>, query = ""): Promise<number> => {
    const [method = "", path = ""] = row.split(" ");
    const response = await fetch(door.url + fill(path) + query, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(method === "GET" ? {} : { body: path.endsWith("sign-in") ? JSON.stringify({ token }) : "{}" }),
    });
    await response.body?.cancel();
    return response.status;
  };

  beforeAll(async () => {
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed.ms };
    const authentication = authenticateInMemory(token, clock, new Map(), keys);
    door = await listenTestApp({ authentication });
    const response = await fetch(`${door.url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    setCookie = response.headers.get("set-cookie") ?? "";
    cookie = setCookie.split(";")[0] ?? "";
  });
  afterAll(() => door.app.close(0));

  test("each registered route has a row, and each row a route", () => {
    expect(door.app.routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      Object.keys(rows).toSorted(),
    );
  });

  test("a session is a cookie that scripts and other sites cannot use", () => {
    expect(setCookie).toMatch(/^stonechat-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
  });

  test("the token and a session are accepted on every route", async () => {
    // Signing out ends the session, so it has a separate test below.
    for (const row of Object.keys(rows).filter((name) => name !== "POST /api/sign-out")) {
      for (const headers of [
        { authorization: `Bearer ${token}` },
        { authorization: `bearer ${token}` },
        { cookie },
        { cookie: `a=b; ${cookie}; c=d` },
      ]) {
        // Authentication passed: the body is not a file and is rejected as such. MCP has no stream to open.
        expect([200, 201, 202, 400, 405, 415], row).toContain(await send(row, headers));
      }
    }
  });

  test("a key is accepted where its scope suffices, and nowhere else", async () => {
    const all = await createKey(...scopes);
    const single = new Map<Scope, string>();
    for (const scope of scopes) single.set(scope, await createKey(scope));
    for (const [row, needed] of Object.entries(rows)) {
      if (needed === "open") continue;
      for (const [scope, key] of single) {
        const status = await send(row, { authorization: `Bearer ${key}` });
        const passed = scope === needed ? [200, 201, 202, 400, 405, 415] : [403];
        expect(passed, `${row} with ${scope}`).toContain(status);
      }
      for (const headers of [{ authorization: `bearer ${all}` }, { "x-api-key": all }])
        expect([200, 201, 202, 400, 405, 415], row).toContain(await send(row, headers));
    }
  });

  test("a revoked, unknown or altered key is rejected on every route without running a handler", async () => {
    const revoked = await createKey(...scopes);
    const [id = ""] = (await keys.list({ userId: "local" })).keys
      .filter(({ start }) => revoked.startsWith(start))
      .map((key) => key.id);
    expect(await send("GET /api/me", { authorization: `Bearer ${revoked}` })).toBe(200);
    await keys.revoke({ userId: "local" }, id);
    const valid = await createKey(...scopes);
    const before = [...door.calls.values()].reduce((sum, count) => sum + count, 0);
    const channels: Record<string, string>[] = [
      { authorization: `Bearer ${revoked}` },
      { "x-api-key": revoked },
      { authorization: `Bearer ${valid}x` },
      { authorization: valid },
      { authorization: `Basic ${Buffer.from(`local:${valid}`).toString("base64")}` },
      { cookie: `stonechat-session=${valid}` },
    ];
    const closed = Object.keys(rows).filter((row) => rows[row] !== "open");
    // One channel after the other: repeating the same wrong key counts as one attempt.
    for (const headers of channels) {
      passed.ms += 60_000;
      for (const row of closed) expect(await send(row, headers), `${row} ${JSON.stringify(headers)}`).toBe(401);
    }
    passed.ms += 60_000;
    for (const row of closed) expect(await send(row, {}, `?key=${valid}&access_token=${valid}`), row).toBe(401);
    expect([...door.calls.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
  });

  test("closed routes reject all other credentials without running a handler", async () => {
    const before = [...door.calls.values()].reduce((sum, count) => sum + count, 0);
    const id = cookie.replace("stonechat-session=", "");
    const channels: Record<string, string>[] = [
      {},
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: token },
      { authorization: `Basic ${Buffer.from(`local:${token}`).toString("base64")}` },
      { authorization: `Token ${token}` },
      { "x-api-key": token },
      { "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1" },
      { "x-user-id": "local" },
      { cookie: `stonechat-session=${token}` },
      { cookie: "stonechat-session=" },
      { cookie: `stonechat-session=${id}A` },
      { cookie: `stonechat-session=${"A".repeat(43)}` },
      { cookie: `stonechat-session=${id.slice(1)}` },
      { cookie: `other=${id}` },
    ];
    let tried = 0;
    for (const [row, rule] of Object.entries(rows)) {
      if (rule === "open") continue;
      for (const headers of channels) {
        expect(await send(row, headers), `${row} with ${JSON.stringify(headers)}`).toBe(401);
        tried += 1;
      }
      expect(await send(row, {}, `?token=${token}&access_token=${token}`), row).toBe(401);
    }
    expect(tried).toBe(Object.values(rows).filter((rule) => rule !== "open").length * channels.length);
    expect([...door.calls.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
  });

  test("open routes answer without credentials", async () => {
    for (const row of Object.keys(rows).filter((name) => rows[name] === "open"))
      expect([200, 400], row).toContain(await send(row, {}));
  });

  test("signing out clears both cookies and ends the session", async () => {
    expect(await send("GET /api/me", { cookie })).toBe(200);
    const response = await fetch(`${door.url}/api/sign-out`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: "{}",
    });
    expect(response.headers.getSetCookie()).toEqual([
      "stonechat-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
      "__Host-stonechat-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    ]);
    expect(await send("GET /api/me", { cookie })).toBe(401);
  });

  test("a browser that came over TLS gets a cookie bound to its host", async () => {
    const host = new URL(door.url).host;
    const response = await fetch(`${door.url}/api/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: `https://${host}` },
      body: JSON.stringify({ token }),
    });
    const secure = response.headers.get("set-cookie") ?? "";
    expect(secure).toMatch(/^__Host-stonechat-session=.*; Path=\/;.*; HttpOnly; SameSite=Strict; Secure$/);
    expect(await send("GET /api/me", { cookie: secure.split(";")[0] ?? "" })).toBe(200);
  });
});

describe("ids of other users", () => {
  const byName: Authentication = {
    kind: "token",
    authenticate: async ({ authorization }) => ({ userId: authorization ?? "nobody", role: "admin" }),
    signOut: async () => ({ cookies: [], ended: [] }),
    findEnded: async () => [],
  };
  const owners: Readonly<Record<string, { ownerId: string }>> = { [threadId]: { ownerId: "alice" } };
  let door: TestApp & { url: string };
  beforeAll(async () => {
    door = await listenTestApp({
      authentication: byName,
      authorizeThread: async (principal, id) => authorize(principal, owners[id], "read"),
    });
  });
  afterAll(() => door.app.close(0));

  const open = async (userId: string, id: string) => {
    const response = await fetch(`${door.url}/api/threads/${id}/stream`, { headers: { authorization: userId } });
    if (response.ok) await response.body?.cancel();
    return {
      status: response.status,
      text: response.ok ? "" : (await response.text()).replace(/"requestId":"[^"]+"/, ""),
    };
  };

  test("the stream of another user's thread answers like an unknown one and watches nothing", async () => {
    const foreign = await open("bob", threadId);
    expect(foreign).toMatchObject({ status: 404 });
    expect(foreign).toEqual(await open("bob", "unknown"));
    expect(foreign).toEqual(await open("", threadId));
    expect(door.watchers).toHaveLength(0);
    expect(await open("alice", threadId)).toMatchObject({ status: 200 });
    expect(door.watchers).toHaveLength(1);
  });

  test("the user stream is always the caller's own, regardless of parameters", async () => {
    const response = await fetch(`${door.url}/api/stream?userId=alice&stream=user:alice&after=0`, {
      headers: { authorization: "bob" },
    });
    await response.body?.cancel();
    expect(door.watchers.at(-1)?.stream).toBe("user:bob");
  });
});
