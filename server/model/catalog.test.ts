import { expect, test } from "vitest";
import { catalog } from "./catalog.ts";

test("contains the nine models of the picker, three of them free", () => {
  const nine = catalog.filter((entry) => entry.provider === "openrouter");
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
  expect(nine.filter((entry) => entry.free)).toHaveLength(3);
});

test("has a source and a date for each figure, and unique ids", () => {
  for (const entry of catalog) {
    expect(entry.source.from).not.toBe("");
    expect(entry.source.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(entry.note).not.toBe("");
  }
  expect(new Set(catalog.map((entry) => `${entry.provider}/${entry.model}`)).size).toBe(catalog.length);
});

test("a model is free exactly if all its prices are zero", () => {
  for (const entry of catalog) expect(entry.prices.input === 0 && entry.prices.output === 0).toBe(entry.free);
});
