import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  ask,
  findProxy,
  proxyNames,
  site,
  startProxy,
  type Proxy,
  type ProxyName,
} from "../support/release/proxies.ts";
import { startServer } from "../support/server-process.ts";

const password = "a password for tests";
const person = { name: "Ada", email: "ada@example.com", password };
const spoofed = { "x-forwarded-for": "203.0.113.9", "x-forwarded-user": person.email };

/** A server behind a proxy as docs/operate.md says, with its first admin. */
async function start(name: ProxyName, change?: (text: string) => string) {
  const server = await startServer({
    program: "main",
    env: {
      STONECHAT_PUBLIC_URL: `https://${site}`,
      STONECHAT_HOSTS: site,
      STONECHAT_TRUSTED_PROXIES: "127.0.0.1",
      STONECHAT_TRUSTED_HEADER: "x-forwarded-user",
    },
  });
  const proxy = await startProxy(name, { upstream: new URL(server.url).host, ...(change ? { change } : {}) });
  const [, link = "", token = ""] = /Create the first admin: (https:\S+)#(\S+)/.exec(server.output()) ?? [];
  expect(link).toBe(`https://${site}/setup`);
  const origin = { origin: `https://${site}` };
  const made = await ask(proxy, "POST /api/setup", { headers: { ...origin, ...spoofed }, body: { ...person, token } });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  const given = String(made.headers["set-cookie"]);
  expect(given).toContain("Secure");
  const close = async (): Promise<void> => {
    await proxy.close();
    await server.close();
  };
  return { server, proxy, headers: { ...origin, cookie: given.split(";")[0] ?? "" }, close };
}

type StartedProxy = Awaited<ReturnType<typeof start>>;
const WORDS = 100;

/** Sends a message and reads the answer through the proxy and directly. Returns which came first: half of it through the proxy, or its end directly. */
async function race({ server, proxy, headers }: StartedProxy): Promise<"streamed" | "held"> {
  const threadId = "t";
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  expect((await ask(proxy, "POST /api/threads", { headers, body: { id: threadId } })).status).toBe(201);
  const path = `/api/threads/${threadId}/stream?after=0`;
  const half = new Promise<"streamed">((resolve, reject) => {
    const onPiece = (text: string): void => {
      if (text.split('"text-delta"').length > WORDS / 2) resolve("streamed");
    };
    ask(proxy, `GET ${path}`, { headers, onPiece, signal: stop.signal }).catch((error: Error) => {
      if (!stop.signal.aborted) reject(error);
    });
  });
  const direct = await fetch(server.url + path, { headers: { cookie: headers.cookie }, signal: stop.signal });
  const ended = (async () => {
    let text = "";
    for await (const piece of direct.body ?? []) {
      text += Buffer.from(piece).toString();
      if (text.includes("run-ended")) return "held" as const;
    }
    throw new Error("The stream ended before the answer.");
  })();
  const body = { id: "m", text: `say ${WORDS} words every 20ms` };
  expect((await ask(proxy, `POST /api/threads/${threadId}/messages`, { headers, body })).status).toBe(202);
  return Promise.race([half, ended]);
}

const upload = (proxy: Proxy, headers: Readonly<Record<string, string>>, bytes: number) =>
  ask(proxy, "POST /api/attachments?name=large.txt", { headers, body: Buffer.alloc(bytes, "a line of text\n") });

describe.each(proxyNames)("behind %s with the configuration in deploy/", (name) => {
  const has = findProxy(name) !== undefined;
  let started: StartedProxy;
  beforeAll(async () => {
    if (has) started = await start(name);
  });
  afterAll(() => started?.close());

  test.skipIf(!has)("answers are streamed word by word", async () => {
    expect(await race(started)).toBe("streamed");
  });

  test.skipIf(!has)("uploads of the server's largest size pass, and larger ones get the server's answer", async () => {
    const { proxy, headers } = started;
    expect((await upload(proxy, headers, 20_000_000)).status).toBe(201);
    const refused = await upload(proxy, headers, 20_000_001);
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('"code"')]);
  });

  test.skipIf(!has)("the client's own headers about addresses and users count for nothing", async () => {
    const { server, proxy, headers } = started;
    const { text } = await ask(proxy, "GET /api/audit", { headers });
    const { entries } = JSON.parse(text) as { entries: readonly { action: string; address: string }[] };
    // The client's real address; the proxy's is 127.0.0.1.
    expect(entries.length).toBeGreaterThan(0);
    expect([...new Set(entries.map(({ address }) => address))]).toEqual(["127.0.0.2"]);
    expect((await ask(proxy, "GET /api/me", { headers: spoofed })).status).toBe(401);
    // Control: from the proxy's address the header signs in.
    expect((await fetch(`${server.url}/api/me`, { headers: { "x-forwarded-user": person.email } })).status).toBe(200);
  });

  test.skipIf(!has)("other host names, and requests without TLS, get nothing", async () => {
    const { proxy, headers } = started;
    expect((await ask(proxy, "GET /api/me", { headers })).status).toBe(200);
    const other = await ask(proxy, "GET /api/me", { headers: { cookie: headers.cookie, host: "evil.example.com" } });
    expect(other.text).not.toContain(person.email);
    const plain = await new Promise<{ status: number; location: string }>((resolve, reject) => {
      get({ host: "127.0.0.1", port: proxy.httpPort, path: "/threads/x", headers: { host: site } }, (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? "" });
      }).once("error", reject);
    });
    expect([301, 308]).toContain(plain.status);
    expect(plain.location).toMatch(new RegExp(`^https://${site}(:\\d+)?/threads/x$`));
  });
});

test.skipIf(findProxy("nginx") === undefined)(
  "control: nginx as it is by default holds answers back and refuses uploads",
  async () => {
    const started = await start("nginx", (text) =>
      text
        .replace("client_max_body_size 0;", "")
        .replace(
          "proxy_buffering off;",
          "proxy_buffering on; proxy_buffer_size 64k; proxy_buffers 8 64k; proxy_ignore_headers X-Accel-Buffering;",
        ),
    );
    onTestFinished(started.close);
    expect(await race(started)).toBe("held");
    const refused = await upload(started.proxy, started.headers, 20_000_000).catch(() => ({ status: 413, text: "" }));
    expect([refused.status, refused.text]).toEqual([413, expect.not.stringContaining('"code"')]);
  },
);
