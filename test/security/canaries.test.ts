import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { finish, healthyCall, text, toSse } from "../support/chat-wire.ts";
import { startHttpServer } from "../support/mcp/http-server.ts";
import { createProviderServer } from "../support/provider-server.ts";
import { createFolder, mustRun } from "../support/server/run-command.ts";
import { startServer } from "../support/server-process.ts";

const model = "openrouter/test/canary";
const email = "ada@example.com";
const providerKey = "sk-or-v1-7d0c4b1f9a2e8836canaryofprovider5561";
const password = "heron-canary-password-4471";
const wrongPassword = "heron-canary-mistyped-9932";
const mcpHeader = "mcp-canary-header-2098-value";
/** The control: text that has to be found wherever contents may be. */
const words = "An answer about bitterns.";

/** A secret as it is, and as it looks inside encoded text. Of the three shifts of base64, the inner characters. */
const formsOf = (secret: string): readonly string[] => {
  const shifted = [0, 1, 2].map((by) =>
    Buffer.from("x".repeat(by) + secret)
      .toString("base64")
      .slice(by === 0 ? 0 : 4, -4),
  );
  const base64 = shifted.flatMap((one) => [one, one.replaceAll("+", "-").replaceAll("/", "_")]);
  return [...new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString("hex"), ...base64])];
};

function readAll(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
}

type Place = readonly [name: string, bytes: Buffer];
const findHits = (places: readonly Place[], secrets: Readonly<Record<string, string>>): readonly string[] =>
  places.flatMap(([place, bytes]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      formsOf(secret).some((form) => bytes.includes(form)) ? [`${name} in ${place}`] : [],
    ),
  );

test("D14: no key, password, session or header is in logs, responses, streams, prompts, the database or a backup", async () => {
  let turns = 0;
  const provider = await createProviderServer({
    next: ({ path, text: body }) => {
      if (path.endsWith("/models"))
        return { body: JSON.stringify({ data: [{ id: "test/canary", context_length: 200_000 }] }) };
      if (body.includes("Fail now")) {
        const message = `Incorrect API key provided: ${providerKey}. Bearer ${providerKey} was sent.`;
        return { status: 401, body: JSON.stringify({ error: { message, code: 401 } }) };
      }
      turns += 1;
      return turns === 1 ? healthyCall("recall", { query: "bitterns" }) : { body: toSse([text(words), finish()]) };
    },
  });
  onTestFinished(provider.close);
  const mcp = await startHttpServer();
  const server = await startServer({
    program: "main",
    env: {
      ...{ STONECHAT_ACCOUNTS: "on", STONECHAT_LOG: "trace", STONECHAT_SCRIPTED: "" },
      ...{ OPENROUTER_BASE_URL: provider.url, STONECHAT_MODEL: model, STONECHAT_FALLBACKS: "" },
      STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1,model=127.0.0.1",
    },
  });
  onTestFinished(() => server.close());

  const responses: string[] = [];
  const ask = async (route: string, body?: object, headers: Record<string, string> = {}) => {
    const [method = "GET", path = ""] = route.split(" ");
    const type: Record<string, string> = body ? { "content-type": "application/json" } : {};
    const response = await fetch(server.url + path, {
      ...{ method, headers: { ...type, ...headers } },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const received = await response.text();
    return { status: response.status, received, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
  };
  // The server's output arrives in pieces.
  const findToken = () => /Create the first admin: \S+#([\w-]+)\s/.exec(server.output())?.[1];
  await expect.poll(findToken).toBeDefined();
  const token = findToken();
  const { status, cookie } = await ask("POST /api/setup", { token, name: "Ada", email, password });
  expect(status).toBe(200);
  const session = cookie.slice(cookie.indexOf("=") + 1);
  /** As the user of the session. Its response is searched. */
  const own = async (route: string, body?: object, headers: Record<string, string> = { cookie }) => {
    const reply = await ask(route, body, headers);
    responses.push(reply.received);
    return reply;
  };
  expect((await own("POST /api/sign-in", { email, password: wrongPassword }, {})).status).toBe(401);
  expect((await own("PUT /api/providers/openrouter/key", { key: providerKey })).status).toBe(200);
  const added = await own("POST /api/mcp", { name: "notes", url: mcp.url, headers: { "x-api-key": mcpHeader } });
  expect(added.status).toBe(200);
  // The one response that shows the key.
  const created = await ask("POST /api/keys", { id: "k", name: "k", scopes: ["read", "chat", "admin"] }, { cookie });
  const { token: apiKey } = JSON.parse(created.received) as { readonly token: string };
  const byKey = { authorization: `Bearer ${apiKey}` };

  expect((await own("POST /api/threads", { id: "birds" }, byKey)).status).toBe(201);
  const isOver = async (count: number) => {
    const { received } = await own("GET /api/threads/birds/runs");
    const { runs } = JSON.parse(received) as { readonly runs: readonly { readonly state: string }[] };
    return runs.length >= count && runs.every((run) => run.state === "ended");
  };
  expect((await own("POST /api/threads/birds/messages", { id: "m1", text: "Tell me about bitterns." })).status).toBe(
    202,
  );
  await expect.poll(() => isOver(1), { timeout: 60_000 }).toBe(true);
  expect((await own("POST /api/threads/birds/messages", { id: "m2", text: "Fail now" }, byKey)).status).toBe(202);
  await expect.poll(() => isOver(2), { timeout: 60_000 }).toBe(true);

  const { runs } = JSON.parse((await own("GET /api/threads/birds/runs")).received) as { runs: { outcome: string }[] };
  expect(runs.map(({ outcome }) => outcome).toSorted()).toEqual(["done", "failed"]);
  const streams: string[] = [];
  for (const path of ["/api/threads/birds/stream?after=0", "/api/stream?after=0"]) {
    const controller = new AbortController();
    const response = await fetch(server.url + path, { headers: { cookie }, signal: controller.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    streams.push(first?.value ?? "");
    controller.abort();
  }
  for (const route of [
    ..."me providers models keys mcp sessions audit?limit=100 people threads/birds settings".split(" "),
    ..."export export?format=markdown threads/birds/export threads/birds/receipts costs openapi.json".split(" "),
  ]) {
    await own(`GET /api/${route}`);
  }
  await own("GET /metrics");
  await own("GET /api/me", undefined, { authorization: `Bearer ${apiKey}x` });
  await own("POST /api/providers/openrouter/test", {});

  const backup = createFolder();
  const restored = createFolder();
  const printed = [
    await mustRun(["backup", join(backup, "b"), "--without-key"], { STONECHAT_DATA: server.dataDir }),
    await mustRun(["restore", join(backup, "b")], { STONECHAT_DATA: restored }),
    await mustRun(["config"], { STONECHAT_DATA: server.dataDir, OPENROUTER_API_KEY: providerKey }),
  ];
  await server.kill("SIGTERM");
  const prompts = provider.calls.map(({ text: body }) => body);
  const places: readonly Place[] = [
    ["the log", Buffer.from(server.output())],
    ["a response", Buffer.from(responses.join("\n"))],
    ["a stream", Buffer.from(streams.join("\n"))],
    ["a prompt", Buffer.from(prompts.join("\n"))],
    ["what a command printed", Buffer.from(printed.join("\n"))],
    ["the data folder", readAll(server.dataDir)],
    ["the backup", readAll(backup)],
    ["the restored folder", readAll(restored)],
  ];
  const secrets = { "the provider's key": providerKey, password, "a wrong password": wrongPassword };
  const all = { ...secrets, "the API key": apiKey, "the session": session, "the MCP header": mcpHeader };
  expect(Object.values(all).every((secret) => secret.length >= 20)).toBe(true);
  expect(findHits(places, all)).toEqual([]);

  // The controls: every secret was used, contents are found where they may be, and each form of a secret is found.
  expect(provider.calls.some(({ headers }) => headers.authorization === `Bearer ${providerKey}`)).toBe(true);
  expect(mcp.headers.some((headers) => headers["x-api-key"] === mcpHeader)).toBe(true);
  const found = places.flatMap(([place, bytes]) => (bytes.includes("bitterns") ? [place] : []));
  expect(found).toEqual(["a response", "a stream", "a prompt", "the data folder", "the restored folder"]);
  // The provider repeated its key in an error.
  expect(prompts.some((prompt) => prompt.includes("Fail now"))).toBe(true);
  for (const encode of ["utf8", "base64", "base64url", "hex"] as const) {
    for (const before of ["", "{", '{"', "ab:"]) {
      const planted = Buffer.from(encode === "utf8" ? before + apiKey : Buffer.from(before + apiKey).toString(encode));
      expect(findHits([["planted", planted]], all), encode).toEqual(["the API key in planted"]);
    }
  }
}, 300_000);
