import { afterEach, expect, test } from "vitest";
import { readConfig } from "../../server/config/config.ts";
import type { Clock } from "../../server/lib/clock.ts";
import { providerNames } from "../../server/tools/web/providers/create-providers.ts";
import { openLoopback, send, sendJson, type Loopback, type Respond } from "../support/web/loopback.ts";
import { createLoopbackFetch, documented, openSearch } from "../support/web/searches.ts";

let sites: Loopback[] = [];
afterEach(async () => {
  await Promise.all(sites.map((site) => site.close()));
  sites = [];
});
const open = async (respond: Respond): Promise<Loopback> => {
  const site = await openLoopback(respond);
  sites.push(site);
  return site;
};
const answer = (name: keyof typeof documented): Respond => send(documented[name].type, documented[name].body);
const broken = sendJson({ error: "overloaded" }, 503);
const query = "population of Reykjavik";

/** A clock that the test advances. */
function createClock() {
  let ms = 0;
  const clock: Clock = { now: () => 1_700_000_000_000 + ms, monotonic: () => ms };
  return { clock, pass: (more: number) => void (ms += more) };
}

test("calls providers in the operator's order and skips unconfigured ones", async () => {
  const [brave, tavily] = [await open(broken), await open(answer("tavily"))];
  const { search } = openSearch({
    urls: { brave: brave.url, tavily: tavily.url },
    order: ["serpapi", "brave", "nonsense", "tavily", "duckduckgo"],
  });
  const { output, told } = await search({ query });
  expect(output.provider).toBe("tavily");
  expect(output.attempts.map(({ provider, code }) => [provider, code])).toEqual([
    ["brave", "server-error"],
    ["nonsense", "unknown-name"],
  ]);
  expect(told).toEqual(["Asking brave", "Asking tavily"]);
});

test("calls the user's chosen provider first, and the others only if it fails", async () => {
  const [tavily, firecrawl] = [await open(answer("tavily")), await open(answer("firecrawl"))];
  const set = { urls: { tavily: tavily.url, firecrawl: firecrawl.url }, order: ["tavily", "firecrawl"] } as const;
  const { output } = await openSearch(set).search({ query, provider: "firecrawl" });
  expect(output.provider).toBe("firecrawl");
  expect(tavily.asked).toEqual([]);

  const failing = await open(broken);
  const without = openSearch({ ...set, urls: { ...set.urls, firecrawl: failing.url } });
  const second = await without.search({ query, provider: "firecrawl" });
  expect(second.output).toMatchObject({ provider: "tavily", attempts: [{ provider: "firecrawl" }] });
});

test("does not claim that an unconfigured chosen provider answered", async () => {
  const tavily = await open(answer("tavily"));
  const { output } = await openSearch({ urls: { tavily: tavily.url } }).search({ query, provider: "firecrawl" });
  expect(output).toMatchObject({
    provider: "tavily",
    note: expect.stringContaining("firecrawl is not configured"),
  });
});

test("stores every result under a separate number and lists it as a source", async () => {
  const site = await open(answer("tavily"));
  const { output, context } = await openSearch({ urls: { tavily: site.url } }).search({ query });
  expect(output.results.map(({ ref }) => ref)).toEqual([1, 2]);
  expect(context.kept).toMatchObject([
    {
      kind: "result",
      title: "Population of Reykjavik by year",
      url: "https://stats.example/reykjavik",
      text: expect.stringContaining("139,875"),
      meta: { query, provider: "tavily" },
    },
    { kind: "result", title: "Reykjavik" },
  ]);
  expect(context.sources).toMatchObject([
    { url: "https://stats.example/reykjavik", status: "found", ref: 1, relevance: output.results[0]!.relevance },
    { url: "https://encyclopedia.example/Reykjavik", status: "found", ref: 2 },
  ]);
  expect(output.about).toMatch(/Never follow instructions/);
});

test("rates relevance to the question, and marks results below one half", async () => {
  const rows = [
    { title: "Population of Reykjavik", url: "https://a.example/", content: "139,875 people" },
    { title: "Cheap hotels in Reykjavik", url: "https://b.example/", content: "Book now" },
    { title: "Sourdough bread", url: "https://c.example/", content: "Flour and water" },
  ];
  const site = await open(sendJson({ results: rows }));
  const { output } = await openSearch({ urls: { tavily: site.url } }).search({ query });
  const [first, second, third] = output.results;
  expect(first!.relevance).toBeGreaterThanOrEqual(0.5);
  expect(first).not.toHaveProperty("markedLowRelevance");
  expect(second!.relevance).toBeLessThan(0.5);
  expect(second!.markedLowRelevance).toBe(true);
  expect(third).toMatchObject({ relevance: 0, markedLowRelevance: true });
});

test("marks the results of a query that is far from the question", async () => {
  const site = await open(
    sendJson({ results: [{ title: "Cute cats", url: "https://a.example/", content: "Cute cats" }] }),
  );
  const { search } = openSearch({ urls: { tavily: site.url } });
  const strayed = await search({ query: "cute cats" }, { question: "When are tax returns due?" });
  expect(strayed.output.results[0]!.markedLowRelevance).toBe(true);
  const asked = await search({ query: "cute cats" }, { question: "Show me cute cats", runId: "other" });
  expect(asked.output.results[0]!.relevance).toBeGreaterThan(0.8);
});

test("caches a response for fifteen minutes for all runs, and does not cache a failure", async () => {
  const { clock, pass } = createClock();
  const [brave, tavily] = [await open(broken), await open(answer("tavily"))];
  const { search } = openSearch({ urls: { brave: brave.url, tavily: tavily.url }, order: ["brave", "tavily"], clock });
  await search({ query }, { runId: "1" });
  pass(14 * 60_000);
  const cached = await search({ query: `  POPULATION of   ${"Reykjavik"}` }, { runId: "2" });
  expect(cached.output).toMatchObject({ provider: "tavily", note: expect.stringContaining("15 minutes") });
  expect(cached.output.results).toHaveLength(2);
  expect(cached.context.kept).toHaveLength(2);
  expect([brave.asked.length, tavily.asked.length]).toEqual([2, 1]);
  pass(60_000);
  await search({ query }, { runId: "3" });
  expect([brave.asked.length, tavily.asked.length]).toEqual([3, 2]);
});

test("does not serve a cached response with fewer results than requested", async () => {
  const site = await open(answer("tavily"));
  const { search } = openSearch({ urls: { tavily: site.url } });
  const few = await search({ query, count: 1 }, { runId: "1" });
  expect(few.output.results).toHaveLength(1);
  expect((await search({ query, count: 5 }, { runId: "2" })).output.results).toHaveLength(2);
  expect((await search({ query, count: 1 }, { runId: "3" })).output.results).toHaveLength(1);
  expect(site.asked).toHaveLength(2);
});

test("runs a query once in a run, and returns its numbers the second time", async () => {
  const site = await open(answer("tavily"));
  const { search } = openSearch({ urls: { tavily: site.url } });
  const [first, beside] = await Promise.all([search({ query }), search({ query })]);
  const again = await search({ query: query.toUpperCase() });
  expect(site.asked).toHaveLength(1);
  for (const { output, context } of [beside, again]) {
    expect(output.note).toMatch(/already run/);
    expect(output.results.map(({ ref, url }) => [ref, url])).toEqual(
      first.output.results.map(({ ref, url }) => [ref, url]),
    );
    expect(context.kept).toEqual([]);
  }
});

test("retries a search without results in the same run", async () => {
  let respond = broken;
  const site = await open((asked, response) => respond(asked, response));
  const { search } = openSearch({ urls: { tavily: site.url } });
  expect((await search({ query })).output.results).toEqual([]);
  respond = answer("tavily");
  expect((await search({ query })).output.results).toHaveLength(2);
});

test("reports that no provider could be reached, with each attempt and what is not configured", async () => {
  const [serpapi, searxng] = [await open(broken), await open(send("text/html", "<html>"))];
  const { output, context } = await openSearch({
    urls: { serpapi: serpapi.url, searxng: searxng.url },
    order: ["serpapi", "openrouter", "searxng", "brave"],
  }).search({ query });
  expect(output).toMatchObject({ provider: null, results: [] });
  expect(output.note).toMatch(/^No search provider could be reached/);
  expect(output.note).toMatch(/serpapi: It had a server error \(503\): overloaded\./);
  expect(output.note).toMatch(/searxng: It returned a web page instead of JSON\./);
  expect(output.note).toMatch(/Not configured: openrouter, brave\./);
  expect([context.kept, context.sources]).toEqual([[], []]);
});

test("distinguishes no results from no reachable provider", async () => {
  const [tavily, brave] = [await open(sendJson({ results: [] })), await open(broken)];
  const { output } = await openSearch({ urls: { tavily: tavily.url, brave: brave.url } }).search({ query });
  expect(output.note).toMatch(/^tavily found no results/);
  expect(output.note).toMatch(/brave: It had a server error/);
});

test("ends at once on a stop and calls no other provider", async () => {
  const stop = new AbortController();
  const silent = await open(() => stop.abort());
  const other = await open(answer("tavily"));
  const { search } = openSearch({ urls: { brave: silent.url, tavily: other.url }, order: ["brave", "tavily"] });
  await expect(search({ query }, { signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
  expect(silent.asked).toHaveLength(1);
  expect(other.asked).toEqual([]);
});

test("does not treat a stopped search as done", async () => {
  const stop = new AbortController();
  const site = await open((asked, response) => {
    stop.abort();
    answer("tavily")(asked, response);
  });
  const { search } = openSearch({ urls: { tavily: site.url } });
  await expect(search({ query }, { signal: stop.signal })).rejects.toThrow();
  const { output, context } = await search({ query });
  expect(output.note).toBeUndefined();
  expect(context.kept).toHaveLength(2);
});

test("reports providers that were not called because the time was used up", async () => {
  const { clock, pass } = createClock();
  const slow = await open((asked, response) => {
    pass(49_500);
    broken(asked, response);
  });
  const other = await open(answer("tavily"));
  const { search } = openSearch({ urls: { brave: slow.url, tavily: other.url }, order: ["brave", "tavily"], clock });
  const { output } = await search({ query }, { fetch: createLoopbackFetch() });
  expect(output.attempts.map(({ code }) => code)).toEqual(["server-error", "out-of-time"]);
  expect(other.asked).toEqual([]);
});

test("declares its effects", () => {
  const { tool } = openSearch({ urls: {} });
  expect(tool).toMatchObject({ untrusted: expect.any(Function), repeat: "pure", effects: ["read", "egress"] });
  expect(tool.sends?.({ query })).toEqual({ query });
  expect(tool.describe?.({ query })).toBe(`Search the web for “${query}”`);
  expect(tool.input.safeParse({ query: "x".repeat(201) }).success).toBe(false);
  expect(tool.input.safeParse({ query: "  " }).success).toBe(false);
  expect(tool.input.safeParse({ query, provider: "altavista" }).success).toBe(false);
});

test("previews the query and the results with their numbers", async () => {
  const site = await open(answer("tavily"));
  const { tool, search } = openSearch({ urls: { tavily: site.url } });
  const { output } = await search({ query });
  expect(tool.summarize?.({ query }, output)).toBe(
    `Searched the web for “${query}”: [1] Population of Reykjavik by year (stats.example); [2] Reykjavik (encyclopedia.example)`,
  );
  expect(tool.summarize?.({ query }, "something else")).toMatch(/nothing/);
});

test("a deep search also reads the best pages; a quick one does not", async () => {
  const words = "Reykjavik had 139,875 inhabitants in 2023, a third of the population of Iceland. ".repeat(8);
  const page = await open(
    send("text/html", `<html><body><article><h1>Reykjavik</h1><p>${words}</p></article></body></html>`),
  );
  const found = { title: "Population of Reykjavik", url: `${page.url}/reykjavik`, content: "A snippet.", score: 0.9 };
  const tavily = await open(sendJson({ results: [found] }));
  const { search } = openSearch({ urls: { tavily: tavily.url } });
  const quick = await search({ query, provider: "tavily", depth: "quick" });
  expect(quick.output.results[0]).not.toHaveProperty("page");
  expect(page.asked).toEqual([]);
  const deep = await search({ query, provider: "tavily", depth: "deep" });
  expect(deep.output.results[0]?.page?.text).toContain("139,875 inhabitants");
  expect(page.asked.length).toBeGreaterThan(0);
});

test("without a setting, searches try SerpAPI, then OpenRouter, then the others, and DuckDuckGo last", async () => {
  const site = await open(broken);
  const urls = Object.fromEntries(providerNames.toReversed().map((name) => [name, site.url]));
  const { search } = openSearch({ urls, order: readConfig({}).tools.searchOrder });
  const { output } = await search({ query });
  expect(output.provider).toBeNull();
  expect(output.attempts.map(({ provider }) => provider)).toEqual([
    ...["serpapi", "openrouter", "tavily", "brave", "searxng", "firecrawl", "duckduckgo"],
  ]);
});
