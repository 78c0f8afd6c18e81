import { expect, onTestFinished, test } from "vitest";
import { createProviderServer } from "../../test/support/provider-server.ts";
import { until } from "../../test/support/server/until.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { createStream } from "../net/open-stream.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { ModelsConfig } from "./models-config.ts";
import { createLiveModels } from "./live-models.ts";

const stream = createStream({ clock, userAgent: "test", allowPrivate: ["127.0.0.1"] });

const create = (config: Partial<ModelsConfig> = {}) => {
  const models = createLiveModels({ config: { keys: {}, ...config }, clock, stream });
  onTestFinished(() => models.close());
  return models;
};
const isThere = (models: ReturnType<typeof create>, id: string) =>
  models.list().some((model) => model.id === id && model.available);

test("uses stored keys; the operator's keys take precedence", () => {
  const models = create({ keys: { openai: "operators" } });
  expect(isThere(models, "openai/gpt-5.5")).toBe(true);
  expect(isThere(models, "google/gemini-2.5-flash")).toBe(false);
  models.use({ keys: { google: "here", openai: "other" }, servers: {} });
  expect(isThere(models, "google/gemini-2.5-flash")).toBe(true);
  models.use({ keys: {}, servers: {} });
  expect(isThere(models, "google/gemini-2.5-flash")).toBe(false);
  expect(isThere(models, "openai/gpt-5.5")).toBe(true);
});

test("a model that was found before stays the same after a change", () => {
  const models = create();
  models.use({ keys: { google: "here" }, servers: {} });
  const found = models.find("google/gemini-2.5-flash");
  models.use({ keys: {}, servers: {} });
  expect(found?.info.available).toBe(true);
  expect(models.find("google/gemini-2.5-flash")?.info.available).toBe(false);
});

test("keeps a provider's list until its key or address changes", async () => {
  const server = await createProviderServer({
    next: () => ({
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: [{ id: "llama" }] }),
    }),
  });
  onTestFinished(server.close);
  const models = create({ refresh: true });
  const address = { baseUrl: server.url, models: [] };
  models.use({ keys: {}, servers: { compatible: address } });
  await until("its list is read", async () => isThere(models, "compatible/llama"));
  models.use({ keys: { google: "here" }, servers: { compatible: address } });
  expect(isThere(models, "compatible/llama")).toBe(true);
  // Changing a model's settings does not read the list again.
  const settings = {
    "compatible/llama": { isFavorite: true, windowTokens: 9000, temperature: null, topP: null, vision: null },
  };
  models.use({ keys: {}, servers: { compatible: address }, settings });
  expect(models.find("compatible/llama")?.info).toMatchObject({ favorite: true, windowTokens: 9000 });
  expect(server.calls).toHaveLength(1);
  models.use({ keys: {}, servers: { compatible: { baseUrl: `${server.url}/elsewhere`, models: [] } } });
  expect(isThere(models, "compatible/llama")).toBe(false);
});

test("uses only the checked fetch for an address that the operator did not set", async () => {
  const server = await createProviderServer({ next: () => ({ body: JSON.stringify({ data: [] }) }) });
  onTestFinished(server.close);
  const closed = createLiveModels({ config: { keys: {} }, clock, stream: createStream({ clock, userAgent: "test" }) });
  onTestFinished(() => closed.close());
  closed.use({ keys: {}, servers: { compatible: { baseUrl: server.url, models: [] } } });
  const refused = await closed.test("compatible", new AbortController().signal);
  expect(refused).toMatchObject({ outcome: "wrong-address" });
  expect(server.calls).toHaveLength(0);
  const models = create();
  models.use({ keys: {}, servers: { compatible: { baseUrl: server.url, models: [] } } });
  expect(await models.test("compatible", new AbortController().signal)).toMatchObject({ outcome: "ok", models: 0 });
  expect(server.calls).toHaveLength(1);
});

test("does not follow redirects: neither prompt nor key goes to another address", async () => {
  const elsewhere = await createProviderServer({ next: () => ({ body: "" }) });
  const server = await createProviderServer({
    next: ({ path }) => ({ status: 307, headers: { location: `${elsewhere.url}${path}` }, body: "" }),
  });
  onTestFinished(elsewhere.close);
  onTestFinished(server.close);
  const models = create({
    keys: { anthropic: "key-of-anthropic" },
    baseUrls: { anthropic: server.url },
    compatible: { baseUrl: server.url, apiKey: "key-of-compatible", models: ["llama"] },
  });
  const request: ModelRequest = {
    system: "",
    messages: [{ role: "user", text: "hello" }],
    tools: [],
    toolChoice: "none",
    effort: "none",
    maxOutputTokens: null,
  };
  for (const id of ["compatible/llama", "anthropic/claude-haiku-4-5"]) {
    let last: unknown;
    for await (const event of models.find(id)!.stream(request, new AbortController().signal)) last = event;
    expect(last).toMatchObject({ type: "failed" });
  }
  expect(server.calls.length).toBeGreaterThanOrEqual(2);
  expect(elsewhere.calls).toEqual([]);
});
