import { describe, expect, test, vi } from "vitest";
import { ModelInfo as ModelSchema } from "../../protocol/api.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import type { ModelsConfig } from "./models-config.ts";
import { createModels } from "./registry.ts";

const clock = { now: () => Date.parse("2026-11-01T00:00:00Z"), monotonic: () => 0 };
const create = (config: Partial<ModelsConfig> = {}, fetch?: typeof globalThis.fetch, onNote?: (note: string) => void) =>
  createModels({
    config: { keys: {}, ...config },
    clock,
    ...(fetch === undefined ? {} : { fetch }),
    ...(onNote === undefined ? {} : { onNote }),
  });

const request: ModelRequest = {
  system: "",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
};
const collect = async (stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

describe("without any key", () => {
  test("every model is listed in the words of the protocol, and only the offline one can be used", () => {
    const list = create().list();
    for (const model of list) expect(ModelSchema.safeParse(model).success).toBe(true);
    expect(list.filter((model) => model.available).map((model) => model.id)).toEqual(["offline/stone"]);
    expect(list.find((model) => model.id === "openrouter/openai/gpt-5-mini")?.unavailable).toContain(
      "OPENROUTER_API_KEY",
    );
    expect(create().defaultId).toBe("offline/stone");
  });

  test("an unavailable model says which variable to set", async () => {
    const model = create().find("anthropic/claude-haiku-4-5")!;
    expect(await collect(model.stream(request, new AbortController().signal))).toMatchObject([
      {
        type: "failed",
        failure: { code: "unavailable", fault: "settings", text: expect.stringContaining("ANTHROPIC_API_KEY") },
      },
    ]);
  });

  test("makes no requests and has no scripted models", () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const models = create({ refresh: true }, fetch);
    expect(fetch).not.toHaveBeenCalled();
    expect(models.find("scripted/script")).toBeUndefined();
    expect(models.find("nobody/knows")).toBeUndefined();
    models.close();
  });
});

describe("default model", () => {
  test("is the operator's choice if it is available", () => {
    const keys = { openrouter: "k" };
    expect(create({ keys, defaultModel: "openrouter/x-ai/grok-4.1-fast" }).defaultId).toBe(
      "openrouter/x-ai/grok-4.1-fast",
    );
  });

  test("is the operator's choice even if it cannot be used, and each call says why", async () => {
    const explain = async (defaultModel: string) => {
      const models = create({ keys: { openai: "k" }, defaultModel });
      expect(models.defaultId).toBe(defaultModel);
      const [event] = await collect(models.find(defaultModel)!.stream(request, new AbortController().signal));
      return event?.type === "failed" ? event.failure.text : "";
    };
    expect(await explain("openrouter/x-ai/grok-4.1-fast")).toContain("OPENROUTER_API_KEY");
    expect(await explain("nobody/knows")).toMatch(/no such provider is set up.*openai\//);
    // An unknown model of a known provider is tried.
    expect(create({ keys: { openai: "k" }, defaultModel: "openai/gpt-9" }).find("openai/gpt-9")?.info.available).toBe(
      true,
    );
  });

  test("is otherwise the cheapest recommended model of a provider that works", () => {
    const choose = (config: Partial<ModelsConfig>) => create(config).defaultId;
    expect(choose({ keys: { openrouter: "k", anthropic: "k" } })).toBe("offline/stone");
    expect(choose({ keys: { openrouter: "k", anthropic: "k" }, proven: ["anthropic"] })).toBe(
      "anthropic/claude-haiku-4-5",
    );
    expect(choose({ keys: { openai: "k" }, proven: ["openai"] })).toBe("openai/gpt-5-mini");
    expect(choose({ keys: { openrouter: "k", openai: "k" }, proven: ["openrouter", "openai"] })).toMatch(/:free$/);
    expect(choose({ compatible: { baseUrl: "http://localhost:1/v1", models: ["m"] } })).toBe("compatible/m");
    expect(choose({ keys: { openai: "k" }, chosenDefault: "openai/gpt-5.5" })).toBe("openai/gpt-5.5");
    expect(choose({ chosenDefault: "openai/gpt-5.5" })).toBe("offline/stone");
  });

  test("is a scripted one if the configuration has a script", () => {
    const models = create({ scripted: "directives" });
    expect(models.defaultId).toBe("scripted/script");
    expect(models.fallbacks("scripted/script")).toEqual(["scripted/backup"]);
  });

  test("never falls back from a free model to a paid one", () => {
    const models = create({
      keys: { openrouter: "k", openai: "k" },
      fallbacks: ["openai/gpt-5-mini", "offline/stone"],
    });
    const free = models.list().filter((model) => model.free && model.id !== "offline/stone");
    expect(free).toHaveLength(3);
    for (const { id } of free) expect(models.fallbacks(id)).toEqual(["offline/stone"]);
    expect(models.fallbacks("openrouter/openai/gpt-5-nano")).toEqual(["openai/gpt-5-mini", "offline/stone"]);
  });

  test("a compatible model is free on this machine and has an unknown price elsewhere", () => {
    const at = (baseUrl: string) => create({ compatible: { baseUrl, models: ["m"] } }).find("compatible/m")?.info;
    expect(at("http://127.0.0.1:11434/v1")).toMatchObject({ free: true, prices: { input: 0, output: 0 } });
    expect(at("https://models.example/v1")).toMatchObject({ free: false, prices: { input: null } });
  });
});

describe("providers' lists", () => {
  const openRouterList = {
    data: [
      {
        id: "openai/gpt-5-mini",
        name: "OpenAI: GPT-5 Mini",
        context_length: 500_000,
        pricing: { prompt: "0.0000003", completion: "0.0000021", input_cache_read: "0.00000003" },
        supported_parameters: ["reasoning", "tools"],
      },
      { id: "new/model", name: "New", context_length: 1000, pricing: { prompt: "-1", completion: "0" } },
      { id: 7 },
      null,
    ],
  };
  const answer =
    (body: unknown, status = 200) =>
    () =>
      Promise.resolve(new Response(JSON.stringify(body), { status }));

  test("update windows and prices, add models and mark removed ones", async () => {
    const models = create({ keys: { openrouter: "k" }, refresh: true }, answer(openRouterList));
    const size = models.list().length;
    await vi.waitFor(() => expect(models.list().some(({ id }) => id === "openrouter/new/model")).toBe(true));
    expect(models.find("openrouter/openai/gpt-5-mini")?.info).toMatchObject({
      windowTokens: 500_000,
      prices: { input: 0.3, output: 2.1, cacheRead: 0.03, cacheWrite: null },
      source: { from: "the provider's own list", date: "2026-11-01" },
    });
    expect(models.find("openrouter/new/model")?.info).toMatchObject({
      free: false,
      prices: { input: null, output: 0 },
    });
    expect(models.find("openrouter/x-ai/grok-4.1-fast")?.info).toMatchObject({ available: false });
    expect(models.list()).toHaveLength(size + 1);
    models.close();
  });

  test("of a compatible server add its models", async () => {
    const list = { data: [{ id: "llama", max_model_len: 32_768 }, { id: "qwen" }] };
    const models = create({ compatible: { baseUrl: "http://localhost:1/v1" }, refresh: true }, answer(list));
    await vi.waitFor(() => expect(models.list().some(({ id }) => id === "compatible/qwen")).toBe(true));
    expect(models.find("compatible/llama")?.info).toMatchObject({ windowTokens: 32_768, available: true });
    expect(models.defaultId).toBe("compatible/llama");
    models.close();
  });

  test.each([
    ["an error", answer({}, 500)],
    ["no network", () => Promise.reject(new TypeError("fetch failed"))],
    ["nonsense", () => Promise.resolve(new Response("<html>"))],
  ])("that fail with %s are reported and change nothing", async (_name, fetch) => {
    const notes: string[] = [];
    const models = create({ keys: { openrouter: "secret-key" }, refresh: true }, fetch, (note) => notes.push(note));
    const before = models.list();
    await vi.waitFor(() => expect(notes).toHaveLength(1));
    expect(notes[0]).toMatch(/^The model list of OpenRouter could not be read/);
    expect(notes[0]).not.toContain("secret-key");
    expect(models.list()).toEqual(before);
    models.close();
  });

  test("an empty list removes no models", async () => {
    const fetch = vi.fn(answer({ data: [] }));
    const models = create({ keys: { openrouter: "k" }, refresh: true }, fetch);
    await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
    await new Promise(setImmediate);
    expect(models.list().filter((model) => model.provider === "openrouter" && model.available)).toHaveLength(9);
    models.close();
  });
});
