import { expect, test } from "vitest";
import type { Handlers } from "../../server/http/route-types.ts";
import { listenTestApp, createTestApp, origin } from "./test-app.ts";

test("closing lets a response in progress finish", async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const getMe: Handlers["getMe"] = async () => {
    entered.resolve();
    await gate.promise;
    const me = { userId: "local", mode: "personal", account: null, signIn: "none" } as const;
    return { ...me, defaultModel: "offline", timeZone: null, version: "0" };
  };
  const door = await listenTestApp({ handlers: { getMe } as unknown as Handlers, checkResponses: true });
  const answer = fetch(`${door.url}/api/me`);
  await entered.promise;
  const closing = door.app.close();
  gate.resolve();
  expect((await answer).status).toBe(200);
  await closing;
});

test("closing does not wait for a response that never comes", async () => {
  const entered = Promise.withResolvers<void>();
  const getMe: Handlers["getMe"] = () => {
    entered.resolve();
    return new Promise(() => {});
  };
  const door = await listenTestApp({ handlers: { getMe } as unknown as Handlers });
  const answer = fetch(`${door.url}/api/me`);
  await entered.promise;
  await Promise.all([expect(answer).rejects.toThrow("fetch failed"), door.app.close(10)]);
});

test("reports a port that is already in use", async () => {
  const door = await listenTestApp();
  const second = listenTestApp({ config: { host: "127.0.0.1", port: door.port, hosts: [] } });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  await door.app.close(0);
});

test("shows why it is not ready only to the principal and in the log", async () => {
  const token = "a-token-of-the-instance";
  const door = createTestApp({ token, health: async () => ({ ok: false, why: "database db-7.internal refuses" }) });
  const ask = (headers: Record<string, string>) => door.app.fetch(new Request(`${origin}/readyz`, { headers }));
  const anonymous = await ask({});
  expect(anonymous.status).toBe(503);
  expect(await anonymous.text()).not.toContain("db-7.internal");
  expect(await (await ask({ authorization: `Bearer ${token}` })).text()).toContain("db-7.internal");
  expect(door.lines.join()).toContain("db-7.internal");
});

test("logs each request of the API with its id at info, without the token of a share, and requests of monitors at debug", async () => {
  const logged: { readonly level: string; readonly fields: Record<string, unknown> }[] = [];
  const at = (level: string) => (fields: object) => void logged.push({ level, fields: { ...fields } });
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const { app } = createTestApp({ logger });
  const token = "t".repeat(43);
  const response = await app.fetch(new Request(`${origin}/api/me`));
  await app.fetch(new Request(`${origin}/api/shared/${token}`));
  await app.fetch(new Request(`${origin}/healthz`));
  const { requestId, method, path, status } = logged[0]?.fields ?? {};
  expect({ requestId, method, path, status }).toEqual({
    requestId: response.headers.get("x-request-id"),
    ...{ method: "GET", path: "/api/me", status: response.status },
  });
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  const requests = logged.flatMap(({ level, fields }) => ("path" in fields ? [[level, fields["path"]]] : []));
  expect(requests).toEqual([
    ["info", "/api/me"],
    ["info", "/api/shared/..."],
    ["debug", "/healthz"],
  ]);
  expect(JSON.stringify(logged)).not.toContain(token);
});
