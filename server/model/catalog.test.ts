import { expect, test } from "vitest";
import { catalog, findEntry } from "./catalog.ts";
import { keyedProviders } from "./keyed-providers.ts";

test("contains the nine models of the picker, three of them free", () => {
  const nine = catalog.filter(({ provider, note }) => provider === "openrouter" && note !== undefined);
  expect(nine.map((entry) => entry.name)).toEqual([
    "DeepSeek R1 0528 (free)",
    "Llama 3.3 70B (free)",
    "Trinity Large Preview (free)",
    "Ministral 8B",
    "Kimi K2.5",
    "Kimi K2",
    "GPT-5 Mini",
    "GPT-5 Nano",
    "Grok 4.1 Fast",
  ]);
  expect(nine.filter(({ prices }) => prices.input === 0 && prices.output === 0)).toHaveLength(3);
});

test("has a source and a date for each figure, and unique ids", () => {
  for (const entry of catalog) {
    expect(entry.source.from).not.toBe("");
    expect(entry.source.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(entry.note === "").toBe(false);
    expect(keyedProviders).toHaveProperty(entry.provider);
  }
  expect(new Set(catalog.map((entry) => `${entry.provider}/${entry.model}`)).size).toBe(catalog.length);
});

test("finds a dated snapshot by its family, and no other model", () => {
  expect(findEntry("anthropic", "claude-haiku-4-5-20251001")?.model).toBe("claude-haiku-4-5");
  expect(findEntry("anthropic", "claude-haiku-4-5-fast")).toBeUndefined();
  expect(findEntry("openai", "claude-haiku-4-5")).toBeUndefined();
});
