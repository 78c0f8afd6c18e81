import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../../protocol/client.ts";
import { textOf } from "../../../protocol/fold.ts";
import { attach } from "../../support/attachments/attach.ts";
import { toPng } from "../../support/attachments/files.ts";
import { healthyReply } from "../../support/chat-wire.ts";
import { mintId, startInstance, type Instance } from "../../support/instance.ts";
import { createProviderServer, findRefusedUrl, type ProviderCall } from "../../support/provider-server.ts";
import { until } from "../../support/server/until.ts";
import { describeOnBoth } from "./on-both.ts";

const KEY = "sk-test-granite-0123456789-abcdefghijklmnop";
const HEADER = "tenant-basalt-0123456789";
const real = { STONECHAT_SCRIPTED: "0", STONECHAT_SUMMARY_MODELS: "none/none" };

const json = (value: unknown, status = 200) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

const serveModels = async (
  ids: readonly string[],
  reply: (call: ProviderCall) => ReturnType<typeof json> | undefined = () => undefined,
) => {
  const server = await createProviderServer({
    next: (call) => {
      const own = reply(call);
      if (own) return own;
      return call.path.endsWith("/models")
        ? json({ data: ids.map((id) => ({ id })) })
        : healthyReply(`From ${ids[0]}.`);
    },
  });
  onTestFinished(server.close);
  return server;
};

/** Ollama's own API, with one model that is loaded by the first call. */
const serveOllama = async () => {
  let isLoaded = false;
  const server = await createProviderServer({
    next: ({ path }) => {
      if (path === "/v1/models") return json({ object: "list", data: [{ id: "qwen3:8b", owned_by: "library" }] });
      if (path === "/api/ps") return json({ models: isLoaded ? [{ model: "qwen3:8b", context_length: 12_288 }] : [] });
      if (path === "/api/show")
        return json({
          model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
          capabilities: ["completion", "tools", "thinking"],
        });
      isLoaded = true;
      return healthyReply("From Ollama.");
    },
  });
  onTestFinished(server.close);
  return server;
};

const ask = async ({ start, follow, send }: Instance, model?: string, text = "Hello.") => {
  const threadId = await start(model === undefined ? {} : { model });
  const live = follow(threadId);
  await send(threadId, text);
  const { outcome, reason } = await live.ended();
  return { outcome, reason, text: textOf(live.view().messages.at(-1)?.parts ?? []) };
};

const findModel = async ({ client }: Instance, id: string) =>
  (await client.listModels({})).models.find((model) => model.id === id);

describeOnBoth("named model servers", (start) => {
  test("each has a name, a key and headers, which only its own address receives", async () => {
    const [first, second] = [await serveModels(["llama"]), await serveModels(["qwen"])];
    const instance = await start({ env: real });
    const { client } = instance;
    const lab = { provider: "lab" };
    const set = await client.setProviderAddress({
      params: lab,
      body: { baseUrl: `${first.url}/v1`, label: "Lab in the cellar", headers: { "X-Tenant": HEADER } },
    });
    expect(set.provider).toMatchObject({
      id: "lab",
      label: "Lab in the cellar",
      headers: ["X-Tenant"],
      kind: "server",
    });
    await client.setProviderKey({ params: lab, body: { key: KEY } });
    await client.setProviderAddress({ params: { provider: "attic" }, body: { baseUrl: second.url } });
    for (const provider of ["lab", "attic"]) await client.testProvider({ params: { provider }, body: {} });
    expect(await findModel(instance, "lab/llama")).toMatchObject({ providerName: "Lab in the cellar", local: true });
    expect(await ask(instance, "lab/llama")).toMatchObject({ outcome: "done", text: "From llama." });
    expect(await ask(instance, "attic/qwen")).toMatchObject({ outcome: "done", text: "From qwen." });
    const called = first.calls.at(-1)?.headers;
    expect(called).toMatchObject({ authorization: `Bearer ${KEY}`, "x-tenant": HEADER });
    expect(JSON.stringify(second.calls.map(({ headers }) => headers))).not.toMatch(new RegExp(`${KEY}|${HEADER}`));
    const everything = JSON.stringify([await client.listProviders({}), await client.exportEverything({})]);
    expect(everything).not.toMatch(new RegExp(`${KEY}|${HEADER}`));

    // Another address gets neither.
    const moved = await client.setProviderAddress({ params: lab, body: { baseUrl: `${second.url}/v1` } });
    expect(moved.provider).toMatchObject({ key: "none", headers: [], label: "Lab in the cellar" });
    await client.testProvider({ params: lab, body: {} });
    expect(JSON.stringify(second.calls.map(({ headers }) => headers))).not.toMatch(new RegExp(`${KEY}|${HEADER}`));

    await client.removeProviderAddress({ params: lab });
    const { providers } = await client.listProviders({});
    expect(providers.map(({ id }) => id)).not.toContain("lab");
    await expect(client.testProvider({ params: lab, body: {} })).rejects.toMatchObject({ status: 404 });
    await expect(instance.start({ model: "lab/llama" })).rejects.toThrow("Unknown model");
  });

  test("a model list is known after a restart although its server is off", async () => {
    const server = await serveModels(["llama", "qwen"]);
    const first = await start({ env: real });
    const params = { provider: "lab" };
    await first.client.setProviderAddress({ params, body: { baseUrl: `${server.url}/v1` } });
    await first.client.testProvider({ params, body: {} });
    expect((await first.client.getMe({})).defaultModel).toBe("lab/llama");
    const dataDir = await first.leave();
    await server.close();
    const again = await start({ dataDir, env: real }, first.databaseUrl);
    expect(await findModel(again, "lab/qwen")).toMatchObject({ available: true });
    expect((await again.client.getMe({})).defaultModel).toBe("lab/llama");
  });

  test("an unknown model gets images once the user says that it accepts them", async () => {
    const server = await serveModels(["llama"]);
    const instance = await start({ env: real });
    const { url, client, follow } = instance;
    const params = { provider: "lab" };
    await client.setProviderAddress({ params, body: { baseUrl: server.url } });
    await client.testProvider({ params, body: {} });
    const id = "lab/llama";
    expect(await findModel(instance, id)).not.toHaveProperty("vision");
    const send = async () => {
      const threadId = await instance.start({ model: id });
      const file = await attach(url, { name: "cat.png", bytes: toPng(8, 8), threadId });
      const live = follow(threadId);
      const body = { id: mintId("message"), text: "What is it?", attachments: [file.id] };
      await client.sendMessage({ params: { threadId }, body });
      await live.ended();
      return JSON.stringify(server.calls.findLast(({ text }) => text.includes("What is it?"))?.body);
    };
    expect(await send()).not.toContain("image_url");
    await client.changeModel({ body: { id, vision: true } });
    expect(await findModel(instance, id)).toMatchObject({ vision: true, settings: { vision: true } });
    expect(await send()).toContain("image_url");
    await client.changeModel({ body: { id, vision: null } });
    expect(await findModel(instance, id)).not.toHaveProperty("vision");
  });

  test("favorites, windows and sampling are stored for each model, and the sampling is sent", async () => {
    const server = await serveModels(["llama", "qwen"]);
    const instance = await start({ env: real });
    const { client } = instance;
    const params = { provider: "lab" };
    await client.setProviderAddress({ params, body: { baseUrl: server.url } });
    await client.testProvider({ params, body: {} });
    const id = "lab/qwen";
    await client.changeModel({ body: { id, favorite: true, windowTokens: 5000, temperature: 0.2, topP: 0.9 } });
    expect(await findModel(instance, id)).toMatchObject({ favorite: true, windowTokens: 5000 });
    await ask(instance, id);
    expect(server.calls.at(-1)?.body).toMatchObject({ model: "qwen", temperature: 0.2, top_p: 0.9 });
    const [thread] = (await client.listThreads({ query: {} })).threads;
    const place = { threadId: thread?.id ?? "" };
    const [line] = (await client.listReceipts({ params: place })).receipts;
    const { receipt } = await client.getReceipt({ params: { ...place, receiptId: line?.id ?? "" } });
    expect(receipt.sampling).toEqual({ temperature: 0.2, topP: 0.9 });
    await client.changeModel({ body: { id, temperature: null, topP: null, windowTokens: null } });
    await ask(instance, id);
    expect(server.calls.at(-1)?.body).not.toHaveProperty("temperature");
    expect(await findModel(instance, id)).toMatchObject({ favorite: true, windowTokens: null });
    await expect(client.changeModel({ body: { id: "nobody/m", favorite: true } })).rejects.toMatchObject({
      status: 404,
    });
  });
});

test("a wrong key leaves the default alone, and a right one for a second provider does too", async () => {
  const local = await serveModels(["llama"]);
  const openAi = await serveModels(["gpt-5.5", "gpt-5-mini"], ({ headers }) =>
    headers.authorization === `Bearer ${KEY}` ? undefined : json({ error: { message: "Incorrect API key" } }, 401),
  );
  const instance = await startInstance({ env: { ...real, OPENAI_BASE_URL: openAi.url } });
  const { client } = instance;
  const defaultModel = async () => (await client.getMe({})).defaultModel;
  const params = { provider: "openai" };
  expect(await defaultModel()).toBe("offline/stone");
  await client.setProviderKey({ params, body: { key: "sk-wrong-0123456789" } });
  expect(await defaultModel()).toBe("offline/stone");
  const wrong = await client.testProvider({ params, body: {} });
  expect(wrong.provider).toMatchObject({ isProven: false, lastTest: { outcome: "refused-key" } });
  expect(wrong.provider.lastTest?.text).toContain("OpenAI rejects this key");
  expect(await defaultModel()).toBe("offline/stone");
  await expect(client.changeModel({ body: { id: "openai/gpt-5.5", isDefault: true } })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("Test it first"),
  });

  await client.setProviderAddress({ params: { provider: "lab" }, body: { baseUrl: local.url } });
  await client.testProvider({ params: { provider: "lab" }, body: {} });
  expect(await defaultModel()).toBe("lab/llama");
  await client.setProviderKey({ params, body: { key: KEY } });
  await client.testProvider({ params, body: {} });
  expect(await defaultModel()).toBe("lab/llama");
  await client.changeModel({ body: { id: "openai/gpt-5.5", isDefault: true } });
  expect(await defaultModel()).toBe("openai/gpt-5.5");
  // Without its provider the choice cannot be used, and the next best one is.
  await client.removeProviderKey({ params });
  expect(await defaultModel()).toBe("lab/llama");
});

test("a first key makes the cheapest recommended model the default, not the dearest", async () => {
  const openAi = await serveModels(["gpt-5.5", "gpt-5-mini"]);
  const { client } = await startInstance({ env: { ...real, OPENAI_BASE_URL: openAi.url } });
  await client.setProviderKey({ params: { provider: "openai" }, body: { key: KEY } });
  await client.testProvider({ params: { provider: "openai" }, body: {} });
  expect((await client.getMe({})).defaultModel).toBe("openai/gpt-5-mini");
});

test("an unknown id of the operator is refused with a message, and never replaced", async () => {
  const openAi = await serveModels(["gpt-5-mini"]);
  const env = { ...real, OPENAI_BASE_URL: openAi.url, OPENAI_API_KEY: KEY, STONECHAT_MODEL: "opnai/gpt-5-mini" };
  const instance = await startInstance({ env });
  expect((await instance.client.getMe({})).defaultModel).toBe("opnai/gpt-5-mini");
  const { outcome, reason } = await ask(instance);
  expect(outcome).toBe("failed");
  expect(reason?.text).toMatch(/STONECHAT_MODEL names it, but no such provider is set up.*openai\//);
});

test("Ollama on this machine is found, added and used, with the window that it reports once the model is loaded", async () => {
  const ollama = await serveOllama();
  const instance = await startInstance({ env: { ...real, OLLAMA_HOST: new URL(ollama.url).host } });
  const { client } = instance;
  const found = async () => (await client.findLocalServers({})).servers.find(({ id }) => id === "ollama");
  const server = await found();
  expect(server).toEqual({ id: "ollama", label: "Ollama", baseUrl: `${ollama.url}/v1`, models: 1, isAdded: false });
  const params = { provider: "ollama" };
  await client.setProviderAddress({ params, body: { baseUrl: server?.baseUrl ?? "", label: "Ollama" } });
  const tested = await client.testProvider({ params, body: {} });
  expect(tested.provider).toMatchObject({ isProven: true, models: 1, lastTest: { outcome: "ok" } });
  expect(await found()).toMatchObject({ isAdded: true });
  const id = "ollama/qwen3:8b";
  expect((await client.getMe({})).defaultModel).toBe(id);
  expect(await findModel(instance, id)).toMatchObject({ windowTokens: 4096, loaded: false, tools: true, effort: true });
  expect(await ask(instance)).toMatchObject({ outcome: "done", text: "From Ollama." });
  await until("the window in use is known", async () => (await findModel(instance, id))?.loaded === true);
  expect(await findModel(instance, id)).toMatchObject({ windowTokens: 12_288 });

  // An effort is sent only if it differs from the server's default.
  expect(ollama.calls.find(({ path }) => path === "/v1/chat/completions")?.body).not.toHaveProperty("reasoning_effort");
  const threadId = await instance.start({ model: id, effort: "high" });
  const live = instance.follow(threadId);
  await instance.send(threadId, "Think hard.");
  await live.ended();
  const calls = ollama.calls.filter(({ path }) => path === "/v1/chat/completions");
  expect(calls.at(-1)?.body).toMatchObject({ reasoning_effort: "high" });
});

test("an address of this machine can be written as localhost", async () => {
  const ollama = await serveOllama();
  const { client } = await startInstance({ env: real });
  const params = { provider: "mine" };
  const baseUrl = `http://localhost:${new URL(ollama.url).port}/v1`;
  await client.setProviderAddress({ params, body: { baseUrl, label: "Mine" } });
  const { provider } = await client.testProvider({ params, body: {} });
  expect(provider).toMatchObject({ isProven: true, lastTest: { outcome: "ok" } });
});

test("a server with a token neither looks for local servers nor allows loopback addresses", async () => {
  const ollama = await serveOllama();
  const token = "a-token-for-a-shared-server";
  const { url } = await startInstance({
    env: { ...real, OLLAMA_HOST: new URL(ollama.url).host, STONECHAT_TOKEN: token },
  });
  const client = createClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  expect(await client.findLocalServers({})).toEqual({ servers: [], allowed: false });
  for (const baseUrl of [ollama.url, ollama.url.replace("127.0.0.1", "localhost")]) {
    const adding = client.setProviderAddress({ params: { provider: "ollama" }, body: { baseUrl } });
    await expect(adding).rejects.toMatchObject({ code: "invalid" });
  }
  expect(ollama.calls).toEqual([]);
});

test("a proxy for model calls gets the requests of hosted providers, and none of local servers", async () => {
  const tunnels: string[] = [];
  const { createServer } = await import("node:http");
  const proxy = createServer().on("connect", (request, socket) => {
    tunnels.push(request.url ?? "");
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as { port: number };
  const local = await serveModels(["llama"]);
  const instance = await startInstance({
    env: { ...real, STONECHAT_MODEL_PROXY: `http://127.0.0.1:${port}`, STONECHAT_COMPATIBLE_URL: local.url },
  });
  await instance.client.setProviderKey({ params: { provider: "mistral" }, body: { key: KEY } });
  await instance.client.testProvider({ params: { provider: "mistral" }, body: {} });
  expect(new Set(tunnels)).toEqual(new Set(["api.mistral.ai:443"]));
  expect(await ask(instance, "compatible/llama")).toMatchObject({ outcome: "done" });
  expect(new Set(tunnels)).toEqual(new Set(["api.mistral.ai:443"]));
});

test("an address that nothing listens at is kept, with the reason, and is not the default", async () => {
  const { client } = await startInstance({ env: real });
  const params = { provider: "lab" };
  await client.setProviderAddress({ params, body: { baseUrl: await findRefusedUrl(), models: ["m"] } });
  const { provider } = await client.testProvider({ params, body: {} });
  expect(provider).toMatchObject({ isProven: false, lastTest: { outcome: "no-network" } });
  expect((await client.getMe({})).defaultModel).toBe("offline/stone");
});

test("a window that the user sets after a rejection is used, and what the rejection taught can be forgotten", async () => {
  let isStrict = true;
  const server = await serveModels(["llama"], ({ path, body }) =>
    isStrict && !path.endsWith("/models") && JSON.stringify(body).includes("Question")
      ? json(
          { error: { message: "This model's maximum context length is 8192 tokens.", type: "invalid_request_error" } },
          400,
        )
      : undefined,
  );
  const instance = await startInstance({ env: real });
  const { client } = instance;
  await client.setProviderAddress({ params: { provider: "lab" }, body: { baseUrl: server.url } });
  await client.testProvider({ params: { provider: "lab" }, body: {} });
  const id = "lab/llama";
  const windowOf = async () => {
    const [thread] = (await client.listThreads({ query: {} })).threads;
    const place = { threadId: thread?.id ?? "" };
    const [line] = (await client.listReceipts({ params: place })).receipts;
    return (await client.getReceipt({ params: { ...place, receiptId: line?.id ?? "" } })).receipt.budget;
  };
  const reject = async () => {
    isStrict = true;
    expect((await ask(instance, id, "Question")).outcome).toBe("failed");
    isStrict = false;
  };

  await reject();
  expect(await findModel(instance, id)).toMatchObject({ learnedWindow: { tokens: 8192 } });
  await ask(instance, id);
  // The limit of the error, in our tokens; not half of it.
  expect((await windowOf()).window).toBe(Math.floor(8192 / 1.1));

  await client.changeModel({ body: { id, windowTokens: 32_768 } });
  expect(await findModel(instance, id)).toMatchObject({ windowTokens: 32_768 });
  expect(await findModel(instance, id)).not.toHaveProperty("learnedWindow");
  await ask(instance, id);
  expect((await windowOf()).learned).toBeUndefined();
  expect((await windowOf()).window).toBeGreaterThan(29_000);

  await reject();
  expect(await findModel(instance, id)).toMatchObject({ windowTokens: 32_768, learnedWindow: { tokens: 8192 } });
  await client.changeModel({ body: { id, forgetsLearnedWindow: true } });
  expect(await findModel(instance, id)).not.toHaveProperty("learnedWindow");
});
