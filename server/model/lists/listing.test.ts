import { expect, test } from "vitest";
import { isChatModel, toListings, toRows } from "./listing.ts";

/** Replies in the documented shape of each provider, shortened. */
const lists = {
  openai: {
    object: "list",
    data: [
      { id: "gpt-5-mini", object: "model", created: 1_754_524_800, owned_by: "openai" },
      { id: "text-embedding-3-small", object: "model", created: 1_705_948_997, owned_by: "system" },
      { id: "gpt-4o-mini-tts", object: "model", created: 1_742_403_959, owned_by: "system" },
    ],
  },
  anthropic: {
    data: [
      {
        type: "model",
        id: "claude-haiku-4-5-20251001",
        display_name: "Claude Haiku 4.5",
        created_at: "2025-10-15T00:00:00Z",
        max_input_tokens: 200_000,
        max_tokens: 64_000,
        capabilities: { thinking: { supported: true }, image_input: { supported: true } },
      },
      { type: "model", id: "claude-old", display_name: "Claude Old", created_at: "1970-01-01T00:00:00Z" },
    ],
    has_more: false,
    first_id: "claude-haiku-4-5-20251001",
    last_id: "claude-old",
  },
  google: {
    models: [
      {
        name: "models/gemini-2.5-flash",
        version: "001",
        displayName: "Gemini 2.5 Flash",
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ["generateContent", "countTokens"],
        thinking: true,
      },
      {
        name: "models/gemini-embedding-001",
        displayName: "Gemini Embedding",
        inputTokenLimit: 2048,
        supportedGenerationMethods: ["embedContent"],
      },
    ],
  },
  openrouter: {
    data: [
      {
        id: "moonshotai/kimi-k2.5",
        name: "MoonshotAI: Kimi K2.5",
        created: 1_769_487_076,
        context_length: 262_144,
        architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
        pricing: { prompt: "0.00000023", completion: "0.000003" },
        supported_parameters: ["reasoning", "temperature", "tools"],
      },
    ],
  },
  mistral: {
    object: "list",
    data: [
      {
        id: "mistral-large-latest",
        object: "model",
        created: 1_732_000_000,
        name: "mistral-large-2411",
        max_context_length: 131_072,
        capabilities: { completion_chat: true, function_calling: true, vision: false },
      },
      { id: "mistral-embed", capabilities: { completion_chat: false } },
    ],
  },
  groq: {
    object: "list",
    data: [
      { id: "llama-3.3-70b-versatile", active: true, context_window: 131_072, created: 1_733_447_754 },
      { id: "retired", active: false, context_window: 8192 },
      { id: "whisper-large-v3", active: true, context_window: 448 },
    ],
  },
  bedrock: {
    modelSummaries: [
      {
        modelId: "anthropic.claude-haiku-4-5-20251001-v1:0",
        modelName: "Claude Haiku 4.5",
        inputModalities: ["TEXT", "IMAGE"],
        outputModalities: ["TEXT"],
        responseStreamingSupported: true,
      },
      { modelId: "amazon.titan-image", outputModalities: ["IMAGE"], inputModalities: ["TEXT"] },
    ],
  },
  vllm: {
    object: "list",
    data: [{ id: "Qwen/Qwen3-8B", object: "model", created: 1_760_000_000, owned_by: "vllm", max_model_len: 40_960 }],
  },
};

const read = (list: unknown) => toListings(list).filter(isChatModel);

test.each([
  ["openai", [{ model: "gpt-5-mini", name: "gpt-5-mini", windowTokens: null, prices: null, date: "2025-08-07" }]],
  [
    "anthropic",
    [
      {
        model: "claude-haiku-4-5-20251001",
        name: "Claude Haiku 4.5",
        windowTokens: 200_000,
        prices: null,
        reasoning: true,
        vision: true,
        date: "2025-10-15",
      },
      { model: "claude-old", name: "Claude Old", windowTokens: null, prices: null },
    ],
  ],
  [
    "google",
    [
      {
        model: "gemini-2.5-flash",
        name: "Gemini 2.5 Flash",
        windowTokens: 1_048_576,
        prices: null,
        reasoning: true,
      },
    ],
  ],
  [
    "openrouter",
    [
      {
        model: "moonshotai/kimi-k2.5",
        name: "MoonshotAI: Kimi K2.5",
        windowTokens: 262_144,
        prices: { input: 0.23, output: 3, cacheRead: null, cacheWrite: null },
        reasoning: true,
        effort: true,
        tools: true,
        sampling: true,
        vision: true,
        date: "2026-01-27",
      },
    ],
  ],
  [
    "mistral",
    [
      {
        model: "mistral-large-latest",
        name: "mistral-large-2411",
        windowTokens: 131_072,
        prices: null,
        tools: true,
        vision: false,
        date: "2024-11-19",
      },
    ],
  ],
  [
    "groq",
    [
      {
        model: "llama-3.3-70b-versatile",
        name: "llama-3.3-70b-versatile",
        windowTokens: 131_072,
        prices: null,
        date: "2024-12-06",
      },
    ],
  ],
  [
    "bedrock",
    [
      {
        model: "anthropic.claude-haiku-4-5-20251001-v1:0",
        name: "Claude Haiku 4.5",
        windowTokens: null,
        prices: null,
        vision: true,
      },
    ],
  ],
  ["vllm", [{ model: "Qwen/Qwen3-8B", name: "Qwen/Qwen3-8B", windowTokens: 40_960, prices: null, date: "2025-10-09" }]],
] as const)("reads the list of %s", (provider, expected) => {
  expect(read(lists[provider])).toEqual(expected);
});

test("skips rows without an id, and tells a list from another reply", () => {
  expect(toListings({ data: [null, 7, {}, { id: "" }, { id: 3 }, { id: "m" }] })).toMatchObject([{ model: "m" }]);
  expect(toRows({ hello: "world" })).toBeUndefined();
  expect(toRows("<html>")).toBeUndefined();
  // Ollama without models.
  expect(toRows({ object: "list", data: null })).toEqual([]);
});
