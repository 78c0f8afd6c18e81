import { expect, onTestFinished, test } from "vitest";
import { startInstance, type Instance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "./on-both.ts";

const token = "a-token-for-tests-only";
const env = { STONECHAT_TOKEN: token };
const asBearer = { authorization: `Bearer ${token}` };

const send = (url: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  fetch(`${url}${path}`, {
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
  });

async function signIn({ url }: Pick<Instance, "url">): Promise<string> {
  const response = await send(url, "/api/sign-in", {}, { token });
  expect(response.status).toBe(200);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Opens a stream of the user's events and records them and its end. */
async function watch({ url }: Pick<Instance, "url">, cookie: string) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${url}/api/stream?after=0`, { headers: { cookie }, signal: controller.signal });
  expect(response.status).toBe(200);
  const seen = { text: "" };
  const ended = (async () => {
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) seen.text += chunk;
    } catch {
      // The connection was closed.
    }
    return performance.now();
  })();
  return { seen, ended };
}

describeOnBoth("a signed-out session", (start, kind) => {
  test("invalidates copied cookies and ends open streams on every node, without affecting other sessions", async () => {
    const first = await start({ env });
    const nodes = kind === "postgres" ? [first, await start({ env }, first.databaseUrl)] : [first];
    const [cookie, other] = [await signIn(first), await signIn(first)];
    const streams = await Promise.all(nodes.map((node) => watch(node, cookie)));
    const control = await Promise.all(nodes.map((node) => watch(node, other)));
    for (const { url } of nodes) expect((await send(url, "/api/me", { cookie })).status).toBe(200);
    const create = (id: string) => send(first.url, "/api/threads", asBearer, { id });
    expect((await create("before-the-end")).ok).toBe(true);
    const saw = (all: typeof streams, id: string) => all.filter(({ seen }) => seen.text.includes(id)).length;
    await expect.poll(() => saw([...streams, ...control], "before-the-end")).toBe(2 * nodes.length);

    const startedAt = performance.now();
    expect((await send(first.url, "/api/sign-out", { cookie }, {})).status).toBe(200);
    for (const { url } of nodes) expect((await send(url, "/api/me", { cookie })).status).toBe(401);
    const cutAfterMs = Math.max(...(await Promise.all(streams.map(({ ended }) => ended)))) - startedAt;
    // Checked every two seconds. A loaded machine gets more than the promised five seconds.
    expect(cutAfterMs).toBeLessThan(process.env["STONECHAT_DEEP"] ? 5_000 : 20_000);
    expect((await create("after-the-end")).ok).toBe(true);
    await expect.poll(() => saw(control, "after-the-end")).toBe(nodes.length);
    expect(saw(streams, "after-the-end")).toBe(0);
    for (const { url } of nodes) expect((await send(url, "/api/me", { cookie: other })).status).toBe(200);
  });

  test("stores only the hash of a session id", async () => {
    const first = await start({ env });
    const cookie = await signIn(first);
    const rows = await query(kind === "postgres" ? first : { dataDir: first.dataDir }, "select * from sessions");
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(cookie.split("=")[1]);
    expect((await send(first.url, "/api/me", { cookie })).status).toBe(200);
  });
});

test("wrong tokens lock no one out, and client addresses are used only behind a configured proxy", async () => {
  const statuses = async (url: string, headers: Readonly<Record<string, string>>, count: number) => {
    const found: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const from = {
        ...headers,
        "x-forwarded-for": `198.51.100.${n + 1}`,
        authorization: `Bearer wrong-${n}-0123456789`,
      };
      found.push((await send(url, "/api/me", from)).status);
    }
    return found;
  };
  const direct = await startInstance({ env });
  // Ten attempts are free; some may expire during the test.
  expect((await statuses(direct.url, {}, 20)).filter((status) => status === 429).length).toBeGreaterThan(0);
  expect((await send(direct.url, "/api/me", asBearer)).status).toBe(200);
  expect((await send(direct.url, "/api/sign-in", {}, { token })).status).toBe(200);

  const proxied = await startInstance({ env: { ...env, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" } });
  expect((await statuses(proxied.url, {}, 20)).filter((status) => status === 429)).toHaveLength(0);
});
