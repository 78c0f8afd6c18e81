import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../../server/config/config.ts";
import { systemClock, type Clock } from "../../../server/lib/clock.ts";
import { systemIds } from "../../../server/lib/ids.ts";
import { createFetch, type Fetch } from "../../../server/net/fetch.ts";
import type { Progress, ToolContext, ToolDeps } from "../../../server/tools/tool.ts";
import { providerNames, type ProviderName } from "../../../server/tools/web/providers/create-providers.ts";
import { createSearchWeb, SearchOutput } from "../../../server/tools/web/search-web.tool.ts";
import { toolContext } from "../server/tool-context.ts";

export const keys = {
  SERPAPI_API_KEY: "serp-0123456789abcdef",
  OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef",
  TAVILY_API_KEY: "tvly-0123456789abcdef",
  BRAVE_API_KEY: "BSA0123456789abcdef",
  FIRECRAWL_API_KEY: "fc-0123456789abcdef",
} as const;

const readFixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../fixtures/search", name), "utf8");

/** Documented response of each provider; see the first line of each file. */
export const documented: Readonly<Record<ProviderName, { readonly type: string; readonly body: string }>> = {
  serpapi: { type: "application/json", body: readFixture("serpapi.json") },
  openrouter: { type: "application/json", body: readFixture("openrouter.json") },
  tavily: { type: "application/json", body: readFixture("tavily.json") },
  brave: { type: "application/json", body: readFixture("brave.json") },
  searxng: { type: "application/json", body: readFixture("searxng.json") },
  firecrawl: { type: "application/json", body: readFixture("firecrawl.json") },
  duckduckgo: { type: "text/html; charset=UTF-8", body: readFixture("duckduckgo.html") },
};
export const instantAnswer = readFixture("duckduckgo-instant.json");

type Set = {
  /** The providers to use, in order; those without an address are not configured. */
  readonly urls: { readonly [N in ProviderName]?: string };
  readonly order?: readonly string[];
  readonly clock?: Clock;
  /** As in the setting. */
  readonly prices?: string;
};

/** The search tool with providers on loopback. */
export function openSearch({ urls, order = Object.keys(urls), clock = systemClock, prices = "" }: Set) {
  const env = Object.fromEntries(
    Object.entries(keys).filter(([name]) =>
      providerNames.some((one) => one in urls && name.startsWith(one.toUpperCase())),
    ),
  );
  const { tools } = readConfig({ ...env, STONECHAT_SEARCH: order.join(","), STONECHAT_SEARCH_PRICES: prices });
  const deps: ToolDeps = { clock, ids: systemIds, tools };
  const tool = createSearchWeb(deps, urls);
  return {
    tool,
    search: async (input: object, more: Partial<ToolContext> = {}) => {
      const told: string[] = [];
      const given = { fetch: createLoopbackFetch(), question: "What is the population of Reykjavik?", ...more };
      const context = { ...toolContext(given), progress: ({ text }: Progress) => void told.push(text) };
      const { output, commit } = await tool.execute(tool.input.parse(input), context);
      return { output: SearchOutput.parse(output), commit, context, told };
    },
  };
}

/** The real fetch, with loopback allowed; `patienceMs`: for tests of timeouts. */
export function createLoopbackFetch(patienceMs?: number): Fetch {
  const fetch = createFetch({
    userAgent: "Stonechat/0.0.0 (test)",
    clock: systemClock,
    allowPrivate: ["127.0.0.1"],
    allowPrivateSearch: ["127.0.0.1"],
    resolve: () => Promise.reject(new Error("no name resolution in this test")),
    spacingMs: 0,
  });
  if (patienceMs === undefined) return fetch;
  return (url, init) => fetch(url, { ...init, timeoutMs: patienceMs });
}
