import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { startServer } from "../support/server-process.ts";

const token = "a-token-for-tests-only";

/** A reverse proxy on the same machine that adds `X-Forwarded-For`, as most do. */
async function startProxy(to: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port, host } = new URL(to);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const sent = request({ hostname, port, method, path, headers: { ...incoming.headers, host, ...headers } });
    sent.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const attempts: readonly [path: string, method: string, body: object | undefined][] = [
  ["/api/me", "GET", undefined],
  ["/api/threads", "GET", undefined],
  ["/api/stream", "GET", undefined],
  ["/metrics", "GET", undefined],
  ["/", "GET", undefined],
  ["/api/providers/openai/key", "PUT", { key: "sk-somebody-else-0123456789" }],
  ["/api/threads", "POST", { id: "from-outside" }],
];

async function askAll(url: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const [path, method, body] of attempts) {
    const json = body && { body: JSON.stringify(body) };
    const type: Record<string, string> = body ? { "content-type": "application/json" } : {};
    const response = await fetch(`${url}${path}`, { method, ...json, headers: { ...type, ...headers } });
    await response.body?.cancel();
    statuses.push(response.status);
  }
  return statuses;
}

test("without a token, requests through a proxy are rejected; with one, they need it", async () => {
  const open = await startInstance();
  const refused = attempts.map(() => 403);
  for (const headers of [
    { "x-forwarded-for": "203.0.113.9" },
    { forwarded: "for=203.0.113.9" },
    { via: "1.1 proxy" },
  ]) {
    expect(await askAll(await startProxy(open.url, headers))).toEqual(refused);
  }
  expect((await open.client.listThreads({})).threads).toEqual([]);
  const direct = await askAll(open.url);
  expect(direct.filter((status) => status < 300).length).toBe(attempts.length);

  const closed = await startInstance({ env: { STONECHAT_TOKEN: token } });
  const proxied = await startProxy(closed.url, { "x-forwarded-for": "203.0.113.9" });
  expect((await askAll(proxied)).filter((status) => status === 401).length).toBe(attempts.length - 1);
  const signed = await askAll(proxied, { authorization: `Bearer ${token}` });
  expect(signed.filter((status) => status < 300).length).toBe(attempts.length);
});

test.each([
  { STONECHAT_PUBLIC_URL: "https://chat.example.com" },
  { STONECHAT_HOSTS: "chat.example.com" },
  { STONECHAT_HOST: "0.0.0.0" },
])("%j without a token and with accounts turned off makes startup fail with instructions", async (env) => {
  const start = startServer({ program: "main", env: { ...env, STONECHAT_ACCOUNTS: "off" } });
  await expect(start).rejects.toThrow(
    /exited \(1\)[^]*Stonechat cannot start: STONECHAT_\w+[^]*[Ss]et STONECHAT_TOKEN/,
  );
});
