import { afterEach, expect, test } from "vitest";
import { openLoopback, send, sendJson, type Loopback, type Respond } from "../support/web/loopback.ts";
import { documented, openSearch } from "../support/web/searches.ts";

let sites: Loopback[] = [];
afterEach(async () => {
  await Promise.all(sites.map((site) => site.close()));
  sites = [];
});
const open = async (respond: Respond): Promise<string> => {
  const site = await openLoopback(respond);
  sites.push(site);
  return site.url;
};
const answer = (name: keyof typeof documented): Respond => send(documented[name].type, documented[name].body);
const query = "population of Reykjavik";

type SearchCost = readonly [provider: string, costUsd: number | null];
const toSpent = (commit: { readonly writes: readonly object[] } | undefined): readonly SearchCost[] =>
  (commit?.writes ?? []).map((write) => {
    const { row } = write as { row: { provider: string; cost_usd: number | null; purpose: string; owner: string } };
    expect(row).toMatchObject({ purpose: "search", owner: "u", thread: "t" });
    return [row.provider, row.cost_usd];
  });

test("records a paid search at the configured price, and a cached one not again", async () => {
  const { search } = openSearch({ urls: { tavily: await open(answer("tavily")) }, prices: "tavily=0.008,brave=0.005" });
  expect(toSpent((await search({ query })).commit)).toEqual([["tavily", 0.008]]);
  expect(toSpent((await search({ query })).commit)).toEqual([]);
  expect(toSpent((await search({ query }, { runId: "another" })).commit)).toEqual([]);
});

test("prefers the provider's reported cost to the configured price", async () => {
  const body = { ...(JSON.parse(documented.openrouter.body) as object), usage: { cost: 0.021 } };
  const { search } = openSearch({ urls: { openrouter: await open(sendJson(body)) }, prices: "openrouter=0.5" });
  expect(toSpent((await search({ query })).commit)).toEqual([["openrouter", 0.021]]);
});

test("records an unknown price as unknown, and does not record free searches", async () => {
  const { search } = openSearch({ urls: { brave: await open(answer("brave")) } });
  expect(toSpent((await search({ query })).commit)).toEqual([["brave", null]]);
  const free = openSearch({ urls: { searxng: await open(answer("searxng")) } });
  expect((await free.search({ query })).commit).toBeUndefined();
});

test("charges for a search without results, but not for a failed one", async () => {
  const { search } = openSearch({
    urls: {
      serpapi: await open(sendJson({ error: "Google hasn't returned any results for this query." })),
      tavily: await open(sendJson({ query, results: [] })),
      brave: await open(sendJson({ error: "overloaded" }, 503)),
      firecrawl: await open(answer("firecrawl")),
    },
    prices: "serpapi=0.01,tavily=0.008,brave=0.005,firecrawl=0.002",
  });
  expect(toSpent((await search({ query })).commit)).toEqual([
    ["serpapi", 0.01],
    ["tavily", 0.008],
    ["firecrawl", 0.002],
  ]);
});
