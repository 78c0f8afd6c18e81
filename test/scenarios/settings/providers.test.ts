import { expect, onTestFinished, test } from "vitest";
import { healthyReply } from "../../support/chat-wire.ts";
import { createClient } from "../../../protocol/client.ts";
import { textOf } from "../../../protocol/fold.ts";
import { createProviderServer, findRefusedUrl, type ProviderCall } from "../../support/provider-server.ts";
import { call, followStream, say, startInstance } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { until } from "../../support/server/until.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "./on-both.ts";

const token = "a-token-for-a-shared-server";
const KEY = "sk-test-granite-0123456789-abcdefghijklmnop";

const json = (value: unknown, status = 200) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

const listed = { data: [{ id: "gpt-5.5" }, { id: "gpt-5-mini" }, { id: "o9" }] };

const serveModels = async (next: (call: ProviderCall) => ReturnType<typeof json> | ReturnType<typeof healthyReply>) => {
  const server = await createProviderServer({ next });
  onTestFinished(server.close);
  return server;
};

describeOnBoth("provider keys", (start, kind) => {
  test("a key makes its models available at once, is never returned, and can be removed", async () => {
    const { client, url, dataDir, databaseUrl } = await start();
    const person = followStream(`${url}/api/stream?after=0`);
    onTestFinished(() => person.close());
    const before = await client.listModels({});
    expect(before.models.find(({ id }) => id === "openai/gpt-5.5")).toMatchObject({ available: false });
    const answers = [
      await client.setProviderKey({ params: { provider: "openai" }, body: { key: KEY } }),
      await client.listProviders({}),
      await client.getMe({}),
      await client.exportEverything({}),
    ];
    const { models } = await client.listModels({});
    expect(models.find(({ id }) => id === "openai/gpt-5.5")).toMatchObject({ available: true, unavailable: null });
    const { providers } = await client.listProviders({});
    expect(providers.find(({ id }) => id === "openai")).toMatchObject({
      label: "OpenAI",
      key: "here",
      isReady: true,
      variable: "OPENAI_API_KEY",
      note: null,
    });
    await person.until(() => person.rows.some(({ event }) => event.type === "providers-changed"));
    expect(JSON.stringify([answers, providers, models, person.rows])).not.toContain(KEY.slice(-6));
    const place = { dataDir, ...(databaseUrl ? { databaseUrl } : {}) };
    const [row] = await query<{ sealed: string }>(place, "select sealed from providers where provider = ?", ["openai"]);
    expect(row?.sealed.length).toBeGreaterThan(40);
    expect(row?.sealed).not.toContain("granite");

    const removed = await client.removeProviderKey({ params: { provider: "openai" } });
    expect(removed.provider).toMatchObject({ key: "none", isReady: false, models: 0, keySetAt: null });
    const after = await client.listModels({});
    expect(after.models.find(({ id }) => id === "openai/gpt-5.5")).toMatchObject({ available: false });
  });

  test("redacts a stored key from tool results", async () => {
    // Does not look like a key, so it can only be found by value.
    const [key, other] = ["hornblende.feldspar.mica", "gneiss.schist.marble"];
    const prompts: string[] = [];
    const {
      client,
      start: open,
      send,
      follow,
    } = await start({
      tools: [tool({ name: "leak", execute: async () => ({ output: { text: `there is ${key} and ${other}` } }) })],
      script: (request, index) => {
        prompts.push(JSON.stringify(request));
        return index === 0 ? call({ name: "leak", input: "{}" }) : say("done");
      },
    });
    await client.setProviderKey({ params: { provider: "anthropic" }, body: { key } });
    const threadId = await open();
    const live = follow(threadId);
    await send(threadId, "go");
    await live.ended();
    expect(prompts.join()).toContain(other);
    expect(prompts.join()).not.toContain(key);
  });

  test("a key from the environment takes precedence, with a note", async () => {
    const server = await serveModels(() => json(listed));
    const { client } = await start({
      env: { OPENAI_API_KEY: "sk-operators-own-key-000", OPENAI_BASE_URL: server.url },
    });
    const { provider } = await client.setProviderKey({ params: { provider: "openai" }, body: { key: KEY } });
    expect(provider).toMatchObject({ key: "environment", keySetAt: null, address: "environment", baseUrl: server.url });
    expect(provider.note).toContain("OPENAI_API_KEY is used");
    await client.testProvider({ params: { provider: "openai" }, body: {} });
    expect(server.calls.at(-1)?.headers.authorization).toBe("Bearer sk-operators-own-key-000");
  });

  test("a key survives a restart; with another instance secret it is unreadable, with a note", async () => {
    const secret = (letter: string) => Buffer.alloc(32, letter).toString("base64url");
    const first = await start({ env: { STONECHAT_SECRET_KEY: secret("a") } });
    await first.client.setProviderKey({ params: { provider: "google" }, body: { key: KEY } });
    const dataDir = await first.leave();
    const again = await start({ dataDir, env: { STONECHAT_SECRET_KEY: secret("a") } }, first.databaseUrl);
    const { models } = await again.client.listModels({});
    expect(models.find(({ provider }) => provider === "google")).toMatchObject({ available: true });
    await again.leave();
    const other = await start({ dataDir, env: { STONECHAT_SECRET_KEY: secret("b") } }, first.databaseUrl);
    const { providers } = await other.client.listProviders({});
    const google = providers.find(({ id }) => id === "google");
    expect(google).toMatchObject({ key: "none", isReady: false });
    expect(google?.note).toContain("Enter the key again");
  });

  test.skipIf(kind === "sqlite")("a key set on one node is used by another within seconds", async () => {
    const first = await start();
    const second = await start({}, first.databaseUrl);
    await first.client.setProviderKey({ params: { provider: "openai" }, body: { key: KEY } });
    await until("the other node offers the models", async () => {
      const { models } = await second.client.listModels({});
      return models.some(({ id, available }) => id === "openai/gpt-5.5" && available);
    });
    await second.client.removeProviderKey({ params: { provider: "openai" } });
    await until("the first one offers them no more", async () => {
      const { models } = await first.client.listModels({});
      return models.every(({ provider, available }) => provider !== "openai" || !available);
    });
  });
});

describeOnBoth("testing a provider", (start) => {
  const ask = async (baseUrl: string, provider: "openai" | "anthropic" | "google" | "openrouter" = "openai") => {
    const variable = `${provider.toUpperCase()}_BASE_URL`;
    const { client } = await start({ env: { [variable]: baseUrl } });
    await client.setProviderKey({ params: { provider }, body: { key: KEY } });
    const tested = await client.testProvider({ params: { provider }, body: {} });
    const { providers } = await client.listProviders({});
    expect(providers.find(({ id }) => id === provider)?.lastTest).toEqual(tested.provider.lastTest);
    return tested.provider.lastTest;
  };

  test("a working key returns the number of models", async () => {
    const server = await serveModels((asked) =>
      asked.headers.authorization === `Bearer ${KEY}` ? json(listed) : json({}, 401),
    );
    expect(await ask(server.url)).toMatchObject({
      outcome: "ok",
      models: 3,
      text: "OpenAI works and offers 3 models.",
    });
  });

  test("uses each provider's own API", async () => {
    const seen: string[] = [];
    const server = await serveModels(({ path, headers }) => {
      const key = headers.authorization ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "open";
      seen.push(`${path} ${String(key)}`);
      return json(path.includes("pageSize") ? { models: [{}, {}] } : listed);
    });
    expect(await ask(server.url, "anthropic")).toMatchObject({ outcome: "ok", models: 3 });
    expect(await ask(server.url, "google")).toMatchObject({ outcome: "ok", models: 2 });
    expect(await ask(server.url, "openrouter")).toMatchObject({ outcome: "ok", models: 3 });
    expect(seen).toContain(`/models?limit=1000 ${KEY}`);
    expect(seen).toContain(`/models?pageSize=1000 ${KEY}`);
    expect(seen).toContain(`/key Bearer ${KEY}`);
  });

  test("distinguishes a rejected key, a wrong address, an invalid response and a server error", async () => {
    let next = json({}, 401);
    const server = await serveModels(() => next);
    const { client } = await start({ env: { OPENAI_BASE_URL: server.url } });
    const test = async () =>
      (await client.testProvider({ params: { provider: "openai" }, body: {} })).provider.lastTest;
    expect(await test()).toMatchObject({ outcome: "no-key" });
    await client.setProviderKey({ params: { provider: "openai" }, body: { key: KEY } });
    expect(await test()).toMatchObject({ outcome: "refused-key", models: null });
    next = json({}, 404);
    expect(await test()).toMatchObject({ outcome: "wrong-address" });
    next = json({ hello: "world" });
    expect(await test()).toMatchObject({ outcome: "wrong-address" });
    next = { ...json({}), body: "<!doctype html><p>Sign in to this Wi-Fi" };
    expect(await test()).toMatchObject({ outcome: "wrong-address" });
    next = json({}, 503);
    expect(await test()).toMatchObject({ outcome: "failed" });
    next = json(listed);
    const good = await test();
    expect(good).toMatchObject({ outcome: "ok" });
    expect(JSON.stringify(good)).not.toContain("sk-");
  });

  test("reports a network error when nothing responds", async () => {
    expect(await ask(await findRefusedUrl())).toMatchObject({ outcome: "no-network" });
  });
});

describeOnBoth("a stored OpenAI-compatible address", (start) => {
  test("is rejected in a private network until the operator allows it", async () => {
    const { url } = await start({ env: { STONECHAT_TOKEN: token } });
    const client = createClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
    const error = client.setProviderAddress({
      params: { provider: "compatible" },
      body: { baseUrl: "http://127.0.0.1:11434/v1" },
    });
    await expect(error).rejects.toThrow(
      /model=127\.0\.0\.1:11434 .*STONECHAT_COMPATIBLE_URL=http:\/\/127\.0\.0\.1:11434\/v1 /,
    );
    for (const baseUrl of [
      "http://localhost:11434/v1",
      "http://169.254.169.254/latest",
      "http://[::1]:9/v1",
      "ftp://example.com/v1",
      "http://user:pass@example.com/v1",
      "http://example.com:25/v1",
      "not an address",
    ]) {
      const setting = client.setProviderAddress({ params: { provider: "compatible" }, body: { baseUrl } });
      await expect(setting, baseUrl).rejects.toMatchObject({ code: "invalid" });
    }
    const { providers } = await client.listProviders({});
    expect(providers.at(-1)).toMatchObject({ id: "compatible", address: "none", baseUrl: null, isReady: false });
    const elsewhere = client.setProviderAddress({
      params: { provider: "openai" },
      body: { baseUrl: "https://example.com/v1" },
    });
    await expect(elsewhere).rejects.toMatchObject({ code: "invalid" });
  });

  test("lists its models, which answer; they disappear with the address", async () => {
    const server = await serveModels(({ path }) =>
      path.endsWith("/models") ? json({ data: [{ id: "llama" }] }) : healthyReply("From my own machine."),
    );
    const { client, start: open, send, follow } = await start({ env: { STONECHAT_ALLOW_PRIVATE: "model=127.0.0.1" } });
    const params = { provider: "compatible" as const };
    const body = { baseUrl: `${server.url}/v1/` };
    const { provider } = await client.setProviderAddress({ params, body });
    expect(provider).toMatchObject({ address: "here", baseUrl: `${server.url}/v1`, isReady: true, key: "none" });
    await client.setProviderKey({ params, body: { key: KEY } });
    await until("its list is read", async () => {
      const { models } = await client.listModels({});
      return models.some(({ id }) => id === "compatible/llama");
    });
    const threadId = await open({ model: "compatible/llama" });
    const live = follow(threadId);
    await send(threadId, "hello");
    await live.ended();
    expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("From my own machine.");
    expect(server.calls.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    const tested = await client.testProvider({ params, body: {} });
    expect(tested.provider.lastTest).toMatchObject({ outcome: "ok", models: 1 });

    const removed = await client.removeProviderAddress({ params });
    expect(removed.provider).toMatchObject({ address: "none", key: "none", isReady: false, lastTest: null });
    expect((await client.listModels({})).models.some(({ provider: id }) => id === "compatible")).toBe(false);
  });

  test("lists manually entered models although nothing responds, and a test reports that", async () => {
    const baseUrl = await findRefusedUrl();
    const { client } = await start({ env: { STONECHAT_ALLOW_PRIVATE: "model=127.0.0.1" } });
    const params = { provider: "compatible" as const };
    await client.setProviderAddress({ params, body: { baseUrl, models: ["qwen"] } });
    expect((await client.listModels({})).models.some(({ id }) => id === "compatible/qwen")).toBe(true);
    const { provider } = await client.testProvider({ params, body: {} });
    expect(provider.lastTest).toMatchObject({ outcome: "no-network" });
  });

  test("an address without a path gets /v1 if the list of models is there, and otherwise stays as it is", async () => {
    const server = await serveModels(({ path }) =>
      path === "/v1/models" ? json({ data: [{ id: "llama" }] }) : json({}, 404),
    );
    const { client } = await start({ env: { STONECHAT_ALLOW_PRIVATE: "model=127.0.0.1" } });
    const params = { provider: "compatible" as const };
    await client.setProviderAddress({ params, body: { baseUrl: server.url } });
    const { provider } = await client.testProvider({ params, body: {} });
    expect(provider).toMatchObject({ baseUrl: `${server.url}/v1`, lastTest: { outcome: "ok", models: 1 } });
    expect((await client.listModels({})).models.some(({ id }) => id === "compatible/llama")).toBe(true);

    const other = await serveModels(() => json({}, 404));
    await client.setProviderAddress({ params, body: { baseUrl: other.url } });
    const kept = await client.testProvider({ params, body: {} });
    expect(kept.provider).toMatchObject({ baseUrl: other.url, lastTest: { outcome: "wrong-address" } });
  });

  test("rejects a key before an address is set", async () => {
    const { client } = await start();
    const setting = client.setProviderKey({ params: { provider: "compatible" }, body: { key: KEY } });
    await expect(setting).rejects.toMatchObject({ status: 409, message: expect.stringContaining("address first") });
  });

  test("never sends its key to another address, and the view says that the key was removed", async () => {
    const [first, second] = [await serveModels(() => json({ data: [] })), await serveModels(() => json({ data: [] }))];
    const { client } = await start({ env: { STONECHAT_ALLOW_PRIVATE: "model=127.0.0.1" } });
    const params = { provider: "compatible" as const };
    const sentTo = ({ calls }: typeof first) =>
      calls.filter(({ headers }) => headers.authorization?.includes(KEY)).length;
    await client.setProviderAddress({ params, body: { baseUrl: `${first.url}/v1` } });
    await client.setProviderKey({ params, body: { key: KEY } });
    await client.setProviderAddress({ params, body: { baseUrl: `${first.url}/v2` } });
    expect((await client.testProvider({ params, body: {} })).provider).toMatchObject({ key: "here", note: null });

    const moved = await client.setProviderAddress({ params, body: { baseUrl: `${second.url}/v1` } });
    const note = `The key for ${first.url} was removed when the address changed. Add this server's key if it needs one.`;
    expect(moved.provider).toMatchObject({ key: "none", keySetAt: null, note });
    expect((await client.testProvider({ params, body: {} })).provider).toMatchObject({ note });
    expect(second.calls.length).toBeGreaterThan(0);
    expect({ first: sentTo(first) > 0, second: sentTo(second) }).toEqual({ first: true, second: 0 });

    await client.setProviderAddress({ params, body: { baseUrl: first.url } });
    expect((await client.testProvider({ params, body: {} })).provider).toMatchObject({ key: "none" });
    await client.setProviderKey({ params, body: { key: KEY } });
    expect((await client.listProviders({})).providers.at(-1)).toMatchObject({ key: "here", note: null });
  });
});

test("a stored key is not sent to an address that the operator sets later", async () => {
  const [mine, operators] = [await serveModels(() => json({ data: [] })), await serveModels(() => json({ data: [] }))];
  const params = { provider: "compatible" as const };
  const env = {
    STONECHAT_ALLOW_PRIVATE: "model=127.0.0.1",
    STONECHAT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64url"),
  };
  const before = await startInstance({ env });
  await before.client.setProviderAddress({ params, body: { baseUrl: mine.url } });
  await before.client.setProviderKey({ params, body: { key: KEY } });
  const dataDir = await before.leave();
  const { client } = await startInstance({ dataDir, env: { ...env, STONECHAT_COMPATIBLE_URL: operators.url } });
  const { provider } = await client.testProvider({ params, body: {} });
  expect(provider).toMatchObject({
    key: "none",
    note: expect.stringContaining(`belongs to ${mine.url} and is not sent`),
  });
  expect(operators.calls.length).toBeGreaterThan(0);
  expect(operators.calls.filter(({ headers }) => headers.authorization?.includes(KEY))).toEqual([]);
});
