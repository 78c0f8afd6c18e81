import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import {
  ask,
  findProxy,
  proxyNames,
  site,
  startProxy,
  type Proxy,
  type ProxyName,
} from "../support/release/proxies.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";

const words = Array.from({ length: 100 }, (_, n) => `w${n}`).join(" ");

/** Two nodes behind a proxy, as deploy/compose.postgres.yaml has them, with their first admin. */
async function start(name: ProxyName) {
  const databaseUrl = await createDatabase();
  const env = {
    STONECHAT_PUBLIC_URL: `https://${site}`,
    STONECHAT_HOSTS: site,
    STONECHAT_TRUSTED_PROXIES: "127.0.0.1",
    STONECHAT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64url"),
    STONECHAT_LEASE_MS: "1000",
  };
  const open = async (): Promise<ServerProcess> => {
    const node = await startServer({ program: "main", databaseUrl, env });
    onTestFinished(node.close);
    return node;
  };
  const nodes = [await open(), await open()];
  const proxy = await startProxy(name, { upstream: nodes.map(({ url }) => new URL(url).host).join(" ") });
  onTestFinished(proxy.close);
  // Each start prints a link, which replaces the one of the node before.
  const [, token = ""] = /Create the first admin: \S+#(\S+)/.exec(nodes[1]?.output() ?? "") ?? [];
  const person = { token, name: "Ada", email: "ada@example.com", password: "a password for tests" };
  const origin = { origin: `https://${site}` };
  const made = await ask(proxy, "POST /api/setup", { headers: origin, body: person });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  return { nodes, proxy, headers: { ...origin, cookie: String(made.headers["set-cookie"]).split(";")[0] ?? "" } };
}

/** Before a stream is opened again, so that a proxy without a node is not asked all the time. */
const PAUSE_MS = 100;

/** Reads a thread's stream as the page does: when it ends early, it is opened again after its last event. */
async function follow(proxy: Proxy, headers: Readonly<Record<string, string>>, onDeltas: (count: number) => void) {
  let [after, deltas] = [0, 0];
  for (;;) {
    let read = 0;
    const stop = new AbortController();
    const onPiece = (text: string): void => {
      const end = text.lastIndexOf("\n\n");
      const fresh = text.slice(read, Math.max(end, read));
      read = Math.max(end, read);
      for (const [, id] of fresh.matchAll(/^id: (\d+)$/gm)) after = Number(id);
      deltas += fresh.split('"text-delta"').length - 1;
      onDeltas(deltas);
      if (fresh.includes('"run-ended"')) stop.abort();
    };
    const path = `/api/threads/t/stream?after=${after}`;
    await ask(proxy, `GET ${path}`, { headers, onPiece, signal: stop.signal }).catch(() => {});
    if (stop.signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

test.for(proxyNames)(
  "behind %s an answer continues on the other node when its node is killed",
  async (name, context) => {
    context.skip(!findProxy(name) || !findPostgres(), `${name} or PostgreSQL is not installed`);
    const { nodes, proxy, headers } = await start(name);
    expect((await ask(proxy, "POST /api/threads", { headers, body: { id: "t" } })).status).toBe(201);
    const begun = Promise.withResolvers<void>();
    const ended = follow(proxy, headers, (count) => count > 20 && begun.resolve());
    const body = { id: "m", text: `say ${words} every 20ms` };
    expect((await ask(proxy, "POST /api/threads/t/messages", { headers, body })).status).toBe(202);
    await begun.promise;
    const drives = await Promise.all(
      nodes.map(async ({ url }) => {
        const metrics = await fetch(`${url}/metrics`, { headers: { cookie: headers.cookie } });
        return (await metrics.text()).includes("stonechat_runs_driving 1");
      }),
    );
    expect(drives.filter(Boolean)).toHaveLength(1);
    await nodes[drives.indexOf(true)]?.kill();
    await ended;
    const thread = await ask(proxy, "GET /api/threads/t", { headers });
    const { messages } = JSON.parse(thread.text) as { messages: readonly { role: string; parts: readonly Part[] }[] };
    const answers = messages.filter(({ role }) => role === "assistant");
    expect(answers).toHaveLength(1);
    expect(textOf(answers[0]?.parts ?? [])).toContain("w99");
  },
);
