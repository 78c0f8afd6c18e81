import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import type { Authentication } from "../../server/auth/authenticate.ts";
import { authorize } from "../../server/auth/authorize.ts";
import { fill, listenTestApp, threadId, type TestApp } from "./test-app.ts";

const token = "a-token-of-the-instance";

/** `open` routes need no credentials, `closed` ones do. A route without a row fails the first test. */
const rows: Readonly<Record<string, "open" | "closed">> = {
  "GET /api/me": "closed",
  "POST /api/sign-in": "open",
  "POST /api/sign-out": "open",
  "GET /api/models": "closed",
  "GET /api/search": "closed",
  "GET /api/threads": "closed",
  "POST /api/threads": "closed",
  "GET /api/threads/:threadId": "closed",
  "PATCH /api/threads/:threadId": "closed",
  "DELETE /api/threads/:threadId": "closed",
  "GET /api/threads/:threadId/messages": "closed",
  "POST /api/threads/:threadId/messages": "closed",
  "POST /api/threads/:threadId/messages/:messageId/edit": "closed",
  "POST /api/threads/:threadId/messages/:messageId/regenerate": "closed",
  "POST /api/threads/:threadId/messages/:messageId/activate": "closed",
  "POST /api/threads/:threadId/stop": "closed",
  "POST /api/threads/:threadId/retry": "closed",
  "POST /api/threads/:threadId/decisions": "closed",
  "POST /api/threads/:threadId/answers": "closed",
  "POST /api/threads/:threadId/continue": "closed",
  "GET /api/threads/:threadId/summaries": "closed",
  "POST /api/threads/:threadId/summaries": "closed",
  "PATCH /api/threads/:threadId/summaries/:summaryId": "closed",
  "POST /api/threads/:threadId/summaries/:summaryId/undo": "closed",
  "GET /api/threads/:threadId/artifacts/:ref": "closed",
  "POST /api/threads/:threadId/reveal": "closed",
  "GET /api/tools": "closed",
  "GET /api/providers": "closed",
  "GET /api/local-servers": "closed",
  "PATCH /api/models": "closed",
  "PUT /api/providers/:provider/key": "closed",
  "DELETE /api/providers/:provider/key": "closed",
  "PUT /api/providers/:provider/address": "closed",
  "DELETE /api/providers/:provider/address": "closed",
  "POST /api/providers/:provider/test": "closed",
  "GET /api/profiles": "closed",
  "POST /api/profiles": "closed",
  "PATCH /api/profiles/:profileId": "closed",
  "DELETE /api/profiles/:profileId": "closed",
  "GET /api/preferences": "closed",
  "PATCH /api/preferences": "closed",
  "GET /api/prompts": "closed",
  "POST /api/prompts": "closed",
  "PATCH /api/prompts/:promptId": "closed",
  "DELETE /api/prompts/:promptId": "closed",
  "GET /api/drafts": "closed",
  "GET /api/drafts/first": "closed",
  "PUT /api/drafts/first": "closed",
  "GET /api/threads/:threadId/draft": "closed",
  "PUT /api/threads/:threadId/draft": "closed",
  "PUT /api/threads/:threadId/seen": "closed",
  "POST /api/threads/:threadId/shares": "closed",
  "GET /api/shares": "closed",
  "DELETE /api/shares/:shareId": "closed",
  "GET /api/shared/:token": "open",
  "GET /api/threads/:threadId/export": "closed",
  "GET /api/export": "closed",
  "POST /api/delete-everything": "closed",
  "GET /api/mcp": "closed",
  "POST /api/mcp": "closed",
  "GET /api/mcp/callback": "closed",
  "DELETE /api/mcp/:server": "closed",
  "POST /api/mcp/:server/accept": "closed",
  "POST /api/mcp/:server/sign-in": "closed",
  "POST /api/mcp/:server/sign-out": "closed",
  "DELETE /api/threads/:threadId/inputs/:inputId": "closed",
  "GET /api/threads/:threadId/runs": "closed",
  "GET /api/threads/:threadId/runs/:runId": "closed",
  "GET /api/threads/:threadId/context": "closed",
  "POST /api/threads/:threadId/preview": "closed",
  "POST /api/threads/:threadId/epochs/:epochId/undo": "closed",
  "POST /api/threads/:threadId/pins": "closed",
  "DELETE /api/threads/:threadId/pins/:pinId": "closed",
  "GET /api/threads/:threadId/receipts": "closed",
  "GET /api/threads/:threadId/receipts/:receiptId/request": "closed",
  "GET /api/threads/:threadId/receipts/:receiptId": "closed",
  "GET /api/memory": "closed",
  "POST /api/memory": "closed",
  "POST /api/memory/undo": "closed",
  "POST /api/memory/forget": "closed",
  "GET /api/memory/export": "closed",
  "GET /api/threads/:threadId/memory": "closed",
  "GET /api/costs": "closed",
  "GET /api/budgets": "closed",
  "POST /api/budgets": "closed",
  "GET /api/projects": "closed",
  "POST /api/projects": "closed",
  "GET /api/projects/:projectId": "closed",
  "PATCH /api/projects/:projectId": "closed",
  "DELETE /api/projects/:projectId": "closed",
  "GET /api/projects/:projectId/entities": "closed",
  "GET /api/projects/:projectId/entities/:entityId": "closed",
  "GET /api/projects/:projectId/graph": "closed",
  "POST /api/projects/:projectId/acts": "closed",
  "GET /api/projects/:projectId/acts": "closed",
  "GET /api/projects/:projectId/acts/:actId": "closed",
  "POST /api/projects/:projectId/acts/:actId/undo": "closed",
  "POST /api/projects/:projectId/runs/:runId/undo": "closed",
  "GET /api/projects/:projectId/stream": "closed",
  "GET /api/projects/:projectId/files": "closed",
  "POST /api/projects/:projectId/files": "closed",
  "GET /api/projects/:projectId/file": "closed",
  "POST /api/projects/:projectId/restore": "closed",
  "GET /api/projects/:projectId/archive": "closed",
  "POST /api/projects/:projectId/preview": "closed",
  "GET /api/projects/:projectId/logs": "closed",
  "POST /api/projects/:projectId/logs": "closed",
  "POST /api/attachments": "closed",
  "GET /api/attachments": "closed",
  "DELETE /api/attachments/:attachmentId": "closed",
  "GET /api/attachments/:attachmentId/file": "closed",
  "GET /api/attachments/:attachmentId/pages/:page": "closed",
  "GET /api/threads/:threadId/stream": "closed",
  "GET /api/stream": "closed",
  "GET /api/openapi.json": "closed",
  "GET /api/docs": "closed",
  "GET /metrics": "closed",
  "GET /healthz": "open",
  "GET /readyz": "open",
};

describe("D1: every route with every credential", () => {
  let door: TestApp & { url: string };
  let cookie: string;
  let setCookie: string;
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
    door = await listenTestApp({ token });
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
        // Authentication passed: the body is not a file and is rejected as such.
        expect([200, 201, 202, 400, 415], row).toContain(await send(row, headers));
      }
    }
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
    expect(tried).toBe(Object.values(rows).filter((rule) => rule === "closed").length * channels.length);
    expect([...door.calls.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
  });

  test("open routes answer without credentials", async () => {
    for (const row of Object.keys(rows).filter((name) => rows[name] === "open"))
      expect(await send(row, {}), row).toBe(200);
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

describe("D2: ids of other users", () => {
  const byName: Authentication = {
    kind: "token",
    authenticate: async ({ authorization }) => ({ userId: authorization ?? "nobody" }),
    signIn: () => Promise.reject(new ApiError("invalid", "none")),
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
