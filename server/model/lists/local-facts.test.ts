import { expect, test } from "vitest";
import { toListings } from "./listing.ts";
import { addLocalFacts } from "./local-facts.ts";

type Replies = Readonly<Record<string, unknown>>;

/** Reads `list` with a server that answers each path, or `/api/show` by model. */
const read = (list: unknown, replies: Replies, port = "8080") => {
  const ask = async (path: string, body?: unknown) => {
    const key = body === undefined ? path : `${path} ${(body as { model: string }).model}`;
    if (!(key in replies)) throw new Error("404");
    return replies[key];
  };
  return addLocalFacts(toListings(list), list, { ask, port });
};

const ollama = {
  object: "list",
  data: ["qwen3:8b", "llama3.2:latest", "gemma3:4b", "nomic-embed-text:latest"].map((id) => ({
    id,
    object: "model",
    created: 1_750_000_000,
    owned_by: "library",
  })),
};

test("Ollama: the window in use, num_ctx of the Modelfile, or its default; and the abilities of each model", async () => {
  const facts = await read(ollama, {
    "/api/ps": { models: [{ name: "qwen3:8b", model: "qwen3:8b", size_vram: 1, context_length: 16_384 }] },
    "/api/show qwen3:8b": {
      parameters: "temperature 0.6\nnum_ctx 8192",
      model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      capabilities: ["completion", "tools", "thinking"],
      modified_at: "2025-08-14T15:49:43.634137516-07:00",
    },
    "/api/show llama3.2:latest": {
      parameters: 'stop "x"\nnum_ctx                        32768',
      model_info: { "general.architecture": "llama", "llama.context_length": 131_072 },
      capabilities: ["completion", "tools"],
    },
    "/api/show gemma3:4b": {
      model_info: { "general.architecture": "gemma3", "gemma3.context_length": 131_072 },
      capabilities: ["completion", "vision"],
    },
    "/api/show nomic-embed-text:latest": { capabilities: ["embedding"] },
  });
  expect(facts).toMatchObject([
    { model: "qwen3:8b", windowTokens: 16_384, isLoaded: true, effort: true, tools: true, date: "2025-08-14" },
    { model: "llama3.2:latest", windowTokens: 32_768, isLoaded: false, effort: false, vision: false },
    { model: "gemma3:4b", windowTokens: 4096, isLoaded: false, tools: false, vision: true },
  ]);
  expect(facts).toHaveLength(3);
});

test("Ollama: an older version without these paths still lists its models", async () => {
  const facts = await read({ data: [{ id: "m", owned_by: "someone" }] }, {}, "11434");
  expect(facts).toMatchObject([{ model: "m", windowTokens: null }]);
});

test("llama.cpp: the window of a slot, not the one the model was trained with", async () => {
  const list = {
    object: "list",
    data: [
      {
        id: "gemma.gguf",
        object: "model",
        created: 1_760_000_000,
        owned_by: "llamacpp",
        meta: { n_ctx_train: 131_072 },
      },
    ],
  };
  const props = { default_generation_settings: { n_ctx: 8192 }, total_slots: 4, modalities: { vision: true } };
  expect(await read(list, { "/props": props })).toMatchObject([{ windowTokens: 8192, vision: true, isLoaded: true }]);
  expect(await read(list, {})).toMatchObject([{ windowTokens: null }]);
});

const lmStudio = {
  object: "list",
  data: ["qwen/qwen3-4b", "google/gemma-3-12b", "text-embed"].map((id) => ({
    id,
    object: "model",
    owned_by: "organization_owner",
  })),
};

test("LM Studio: the loaded window of its API version 1, and of version 0 before it", async () => {
  const newer = {
    models: [
      {
        type: "llm",
        key: "qwen/qwen3-4b",
        display_name: "Qwen3 4B",
        loaded_instances: [{ id: "qwen/qwen3-4b", config: { context_length: 4096 } }],
        max_context_length: 40_960,
        capabilities: { vision: false, trained_for_tool_use: true },
      },
      { type: "llm", key: "google/gemma-3-12b", loaded_instances: [], max_context_length: 131_072 },
      { type: "embedding", key: "text-embed", loaded_instances: [], max_context_length: 2048 },
    ],
  };
  expect(await read(lmStudio, { "/api/v1/models": newer })).toMatchObject([
    { model: "qwen/qwen3-4b", windowTokens: 4096, isLoaded: true, tools: true, vision: false },
    { model: "google/gemma-3-12b", windowTokens: 131_072, isLoaded: false },
  ]);
  const older = {
    data: [
      { id: "qwen/qwen3-4b", type: "llm", state: "loaded", max_context_length: 40_960, loaded_context_length: 8192 },
      { id: "google/gemma-3-12b", type: "vlm", state: "not-loaded", max_context_length: 131_072 },
      { id: "text-embed", type: "embeddings", state: "not-loaded", max_context_length: 2048 },
    ],
  };
  expect(await read(lmStudio, { "/api/v0/models": older })).toMatchObject([
    { model: "qwen/qwen3-4b", windowTokens: 8192, isLoaded: true },
    { model: "google/gemma-3-12b", windowTokens: 131_072, vision: true, isLoaded: false },
  ]);
});

test("another server is asked for nothing but its list", async () => {
  const list = { data: [{ id: "m", owned_by: "vllm", max_model_len: 40_960 }] };
  expect(await read(list, {})).toEqual(toListings(list));
});
