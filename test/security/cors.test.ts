import { request } from "node:http";
import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";

const app = "https://app.example.com";

type Reply = { readonly status: number; readonly header: (name: string) => string | undefined; readonly text: string };

/** Uses raw requests, because `fetch` does not allow these headers. Reads only the start of a stream. */
const ask = (url: string, method: string, path: string, headers: Record<string, string>): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const body = method === "POST" ? "{}" : undefined;
    const type: Record<string, string> = body ? { "content-type": "application/json" } : {};
    const sent = request(`${url}${path}`, { method, headers: { ...type, ...headers } }, (response) => {
      let text = "";
      const finish = () => {
        const header = (name: string) => response.headers[name]?.toString();
        resolve({ status: response.statusCode ?? 0, header, text });
        response.destroy();
      };
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (response.headers["content-type"]?.startsWith("text/event-stream")) finish();
      });
      response.on("end", finish);
    });
    sent.on("error", reject);
    sent.end(body);
  });

test.each([{}, { STONECHAT_TOKEN: "a-token-for-tests-only" }])(
  "a page of a listed origin calls the API with a key and in no other way, with %j",
  async (env) => {
    const { url } = await startInstance({ env: { ...env, STONECHAT_CORS_ORIGINS: `${app}, http://localhost:5173` } });
    const secret = "STONECHAT_TOKEN" in env ? env.STONECHAT_TOKEN : "";
    const create = await fetch(`${url}/api/keys`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
      body: JSON.stringify({ id: "k", name: "App", scopes: ["read"] }),
    });
    const { token } = (await create.json()) as { token: string };
    const cross = { origin: app, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
    const key = { authorization: `Bearer ${token}` };

    const preflight = await ask(url, "OPTIONS", "/api/threads/t/messages", {
      ...cross,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-stainless-os",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.header("access-control-allow-origin")).toBe(app);
    expect(preflight.header("access-control-allow-methods")).toContain("POST");
    expect(preflight.header("access-control-allow-headers")).toBe("authorization,content-type,x-stainless-os");
    expect(preflight.header("vary")).toBe("Origin");

    for (const path of ["/api/me", "/api/stream", "/api/openapi.json", "/api/export"]) {
      const reply = await ask(url, "GET", path, { ...cross, ...key });
      expect(reply.status, path).toBe(200);
      expect(reply.header("access-control-allow-origin"), path).toBe(app);
      for (const name of ["Retry-After", "X-Should-Retry"])
        expect(reply.header("access-control-expose-headers"), path).toContain(name);
      expect(reply.header("access-control-allow-credentials"), path).toBeUndefined();
    }
    expect(preflight.header("access-control-allow-credentials")).toBeUndefined();

    // The page can read why a request is refused.
    const refused: readonly [number, string, string, Record<string, string>][] = [
      [403, "POST", "/api/threads", { ...cross, ...key }],
      [401, "GET", "/api/me", { ...cross, authorization: `Bearer sc_${"A".repeat(43)}` }],
      [401, "GET", "/api/stream", { ...cross, "x-api-key": `sc_${"A".repeat(43)}` }],
      [403, "GET", "/api/me", cross],
      [403, "GET", "/api/stream", cross],
      [403, "POST", "/api/sign-out", { ...cross, cookie: "stonechat-session=x" }],
      [403, "GET", "/api/me", { ...cross, authorization: `Bearer ${secret || "anything"}` }],
      [403, "GET", "/v1/models", cross],
      [401, "GET", "/v1/models", { ...cross, authorization: `Bearer sc_${"A".repeat(43)}` }],
      [403, "POST", "/v1/responses", { ...cross, ...key }],
      [404, "GET", "/v1/models/none", { ...cross, ...key }],
    ];
    for (const [status, method, path, headers] of refused) {
      const reply = await ask(url, method, path, headers);
      expect(reply.status, `${path} ${JSON.stringify(headers)}`).toBe(status);
      expect(reply.header("access-control-allow-origin"), path).toBe(app);
    }

    for (const origin of [
      "https://evil.example",
      `${app}.evil.example`,
      "http://app.example.com",
      `${app}:8443`,
      "null",
    ]) {
      const others = { ...cross, origin };
      for (const headers of [others, { ...others, ...key }, { ...others, "x-api-key": token }]) {
        for (const path of ["/api/me", "/api/stream"]) {
          const reply = await ask(url, "GET", path, headers);
          expect(reply.status, origin).toBe(403);
          expect(reply.header("access-control-allow-origin")).toBeUndefined();
        }
      }
      const asked = { ...others, "access-control-request-method": "GET" };
      expect((await ask(url, "OPTIONS", "/api/me", asked)).status, origin).toBe(403);
    }
    // Without an origin nothing changes.
    expect((await ask(url, "GET", "/api/me", key)).header("access-control-allow-origin")).toBeUndefined();
  },
);

test("an unlisted origin is refused with a key if no origin is listed", async () => {
  const { url, client } = await startInstance();
  const { token } = await client.createKey({ body: { id: "k", name: "App", scopes: ["read"] } });
  const headers = { origin: app, authorization: `Bearer ${token}` };
  expect((await ask(url, "GET", "/api/me", headers)).status).toBe(403);
  expect((await ask(url, "GET", "/api/me", { authorization: `Bearer ${token}` })).status).toBe(200);
});
