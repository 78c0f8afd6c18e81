import type { KeyedProvider } from "./models-config.ts";

/**
 * Known models as data. Each figure comes from its `source` on that date; null means unknown. Prices are US dollars per
 * million tokens. A provider's own list overrides these at run time.
 */
type CatalogEntry = {
  readonly provider: KeyedProvider;
  /** The provider's name of the model; our id is `provider/name`. */
  readonly model: string;
  readonly name: string;
  readonly free: boolean;
  readonly note: string;
  readonly reasoning: boolean;
  /** Whether it accepts images. */
  readonly vision: boolean;
  readonly windowTokens: number | null;
  readonly prices: Prices;
  readonly source: { readonly from: string; readonly date: string };
};

export type Prices = {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
};

const price = (input: number | null, output: number | null, cacheRead: number | null, cacheWrite: number | null) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});
const nothing = price(0, 0, 0, 0);

const listed = { from: "OpenRouter's model list; windows and cache prices from models.dev", date: "2026-02-21" };
const registry = (date: string) => ({ from: "models.dev", date });

export const catalog: readonly CatalogEntry[] = [
  {
    provider: "openrouter",
    model: "deepseek/deepseek-r1-0528:free",
    name: "DeepSeek R1 0528 (free)",
    free: true,
    note: "Reasons at length; free endpoints are slow at peak hours",
    reasoning: true,
    vision: false,
    windowTokens: 163_840,
    prices: nothing,
    source: listed,
  },
  {
    provider: "openrouter",
    model: "meta-llama/llama-3.3-70b-instruct:free",
    name: "Llama 3.3 70B (free)",
    free: true,
    note: "A good all-rounder without reasoning",
    reasoning: false,
    vision: false,
    windowTokens: 65_536,
    prices: nothing,
    source: listed,
  },
  {
    provider: "openrouter",
    model: "arcee-ai/trinity-large-preview:free",
    name: "Trinity Large Preview (free)",
    free: true,
    note: "Large and open; a preview that may be removed",
    reasoning: false,
    vision: false,
    windowTokens: 131_000,
    prices: nothing,
    source: listed,
  },
  {
    provider: "openrouter",
    model: "mistralai/ministral-8b",
    name: "Ministral 8B",
    free: false,
    note: "Small, quick and cheap",
    reasoning: false,
    vision: false,
    windowTokens: null,
    prices: price(null, null, null, null),
    source: listed,
  },
  {
    provider: "openrouter",
    model: "moonshotai/kimi-k2.5",
    name: "Kimi K2.5",
    free: false,
    note: "Strong with tools and code",
    reasoning: true,
    vision: true,
    windowTokens: 262_144,
    prices: price(0.23, 3, null, null),
    source: listed,
  },
  {
    provider: "openrouter",
    model: "moonshotai/kimi-k2-0905",
    name: "Kimi K2",
    free: false,
    note: "Long context, good prose",
    reasoning: false,
    vision: false,
    windowTokens: 262_144,
    prices: price(0.4, 2, null, null),
    source: listed,
  },
  {
    provider: "openrouter",
    model: "openai/gpt-5-mini",
    name: "GPT-5 Mini",
    free: false,
    note: "Good reasoning at a small price",
    reasoning: true,
    vision: true,
    windowTokens: 400_000,
    prices: price(0.25, 2, 0.025, null),
    source: listed,
  },
  {
    provider: "openrouter",
    model: "openai/gpt-5-nano",
    name: "GPT-5 Nano",
    free: false,
    note: "The cheapest of the GPT-5 family",
    reasoning: true,
    vision: true,
    windowTokens: 400_000,
    prices: price(0.05, 0.4, 0.01, null),
    source: listed,
  },
  {
    provider: "openrouter",
    model: "x-ai/grok-4.1-fast",
    name: "Grok 4.1 Fast",
    free: false,
    note: "A very large window, quick with tools",
    reasoning: true,
    vision: true,
    windowTokens: 2_000_000,
    prices: price(0.2, 0.5, null, null),
    source: listed,
  },
  {
    provider: "openai",
    model: "gpt-5.5",
    name: "GPT-5.5",
    free: false,
    note: "OpenAI, direct. More expensive beyond 272,000 tokens",
    reasoning: true,
    vision: true,
    windowTokens: 1_050_000,
    prices: price(5, 30, 0.5, null),
    source: registry("2026-04-23"),
  },
  {
    provider: "openai",
    model: "gpt-5-mini",
    name: "GPT-5 Mini",
    free: false,
    note: "OpenAI, direct; smaller and cheaper",
    reasoning: true,
    vision: true,
    windowTokens: 400_000,
    prices: price(0.25, 2, 0.025, null),
    source: registry("2025-08-07"),
  },
  {
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    name: "Claude Sonnet 5.5",
    free: false,
    note: "Anthropic, direct",
    reasoning: true,
    vision: true,
    windowTokens: null,
    prices: price(2, 10, 0.1, 2.5),
    source: registry("2026-10-03"),
  },
  {
    provider: "anthropic",
    model: "claude-haiku-4-5",
    name: "Claude Haiku 4.5",
    free: false,
    note: "Anthropic, direct; quick",
    reasoning: true,
    vision: true,
    windowTokens: 200_000,
    prices: price(1, 5, 0.1, 1.25),
    source: registry("2026-10-03"),
  },
  {
    provider: "google",
    model: "gemini-3.8-flash",
    name: "Gemini 3.8 Flash",
    free: false,
    note: "Google, direct. An introductory price, until the end of 2026",
    reasoning: true,
    vision: true,
    windowTokens: 1_048_576,
    prices: price(0.75, 3.75, 0.075, null),
    source: registry("2026-09-02"),
  },
  {
    provider: "google",
    model: "gemini-2.5-flash",
    name: "Gemini 2.5 Flash",
    free: false,
    note: "Google, direct; cheaper",
    reasoning: true,
    vision: true,
    windowTokens: 1_048_576,
    prices: price(0.3, 2.5, 0.03, null),
    source: registry("2025-06-05"),
  },
];
