import type { Config } from "../../../config/config.ts";
import { createBrave } from "./brave.ts";
import { createDuckduckgo } from "./duckduckgo.ts";
import { createFirecrawl } from "./firecrawl.ts";
import { createOpenrouter } from "./openrouter.ts";
import type { Provider } from "./provider.ts";
import { createSearxng } from "./searxng.ts";
import { createSerpapi } from "./serpapi.ts";
import { createTavily } from "./tavily.ts";

export const providerNames = [
  "serpapi",
  "openrouter",
  "tavily",
  "brave",
  "searxng",
  "firecrawl",
  "duckduckgo",
] as const;
export type ProviderName = (typeof providerNames)[number];

/** Providers by name; undefined if the key or URL is not configured. `urls` overrides the endpoints in tests. */
export type Providers = Readonly<Record<ProviderName, Provider | undefined>>;
export type ProviderUrls = { readonly [N in ProviderName]?: string };

export function createProviders(
  { keys, openrouterUrl, searxngUrl }: Config["tools"],
  urls: ProviderUrls = {},
): Providers {
  const at = urls.duckduckgo;
  const searxng = urls.searxng ?? searxngUrl;
  return {
    serpapi: keys.serpapi ? createSerpapi(keys.serpapi, urls.serpapi) : undefined,
    openrouter: keys.openrouter ? createOpenrouter(keys.openrouter, urls.openrouter ?? openrouterUrl) : undefined,
    tavily: keys.tavily ? createTavily(keys.tavily, urls.tavily) : undefined,
    brave: keys.brave ? createBrave(keys.brave, urls.brave) : undefined,
    searxng: searxng ? createSearxng(searxng) : undefined,
    firecrawl: keys.firecrawl ? createFirecrawl(keys.firecrawl, urls.firecrawl) : undefined,
    duckduckgo: createDuckduckgo(at ? { page: at, instant: at } : undefined),
  };
}
