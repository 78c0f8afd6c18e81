import { afterEach, expect, test } from "vitest";
import { providerNames } from "../../server/tools/web/providers/create-providers.ts";
import { openLoopback, send, sendJson, type Loopback } from "../support/web/loopback.ts";
import { documented, instantAnswer, keys, openSearch } from "../support/web/searches.ts";

let site: Loopback | undefined;
afterEach(() => site?.close());

const query = "population of Reykjavik & “more”";

/** The documented request of each provider. */
const requests = {
  serpapi: {
    method: "GET",
    path: "/search.json",
    params: { engine: "google", q: query, api_key: keys.SERPAPI_API_KEY },
  },
  openrouter: {
    method: "POST",
    path: "/chat/completions",
    headers: { authorization: `Bearer ${keys.OPENROUTER_API_KEY}`, "content-type": "application/json" },
    body: {
      model: "openrouter/auto",
      messages: [{ role: "user", content: query }],
      plugins: [{ id: "web", engine: "exa", max_results: 4 }],
      max_tokens: 32,
    },
  },
  tavily: {
    method: "POST",
    path: "/search",
    headers: { authorization: `Bearer ${keys.TAVILY_API_KEY}`, "content-type": "application/json" },
    body: { query, search_depth: "basic", max_results: 4, include_answer: false, include_raw_content: false },
  },
  brave: {
    method: "GET",
    path: "/res/v1/web/search",
    params: { q: query, count: "4", result_filter: "web", text_decorations: "false" },
    headers: { "x-subscription-token": keys.BRAVE_API_KEY, accept: "application/json" },
  },
  searxng: { method: "GET", path: "/search", params: { q: query, format: "json" } },
  firecrawl: {
    method: "POST",
    path: "/v2/search",
    headers: { authorization: `Bearer ${keys.FIRECRAWL_API_KEY}`, "content-type": "application/json" },
    body: { query, limit: 4, sources: ["web"] },
  },
  duckduckgo: { method: "GET", path: "/html/", params: { q: query }, headers: { accept: "text/html" } },
} as const;

test.each(providerNames)("sends the documented request to %s and reads its response", async (name) => {
  const { type, body } = documented[name];
  site = await openLoopback(send(type, body));
  const { search } = openSearch({ urls: { [name]: site.url } });
  const { output } = await search({ query, count: 4 });

  expect(site.asked).toHaveLength(1);
  const [asked] = site.asked;
  const wanted: { params?: object; headers?: object; body?: object } & object = requests[name];
  expect(asked).toMatchObject({ ...wanted, body: expect.any(String), params: wanted.params ?? {} });
  expect(asked!.params).toEqual(wanted.params ?? {});
  expect(asked!.body === "" ? undefined : JSON.parse(asked!.body)).toEqual(wanted.body);
  expect(asked!.headers["user-agent"]).toMatch(/^Stonechat\//);

  expect(output).toMatchObject({ query, provider: name, attempts: [] });
  expect(output.results.map(({ title, url }) => [title, url])).toEqual([
    ["Population of Reykjavik by year", "https://stats.example/reykjavik"],
    ["Reykjavik", "https://encyclopedia.example/Reykjavik"],
  ]);
  expect(output.results[0]!.snippet).toBe("The population of Reykjavik was 139,875 at the start of 2023.");
  expect(output.results[1]!.snippet).toMatch(/^Reykjavik is the capital (and|&) largest city of Iceland\.$/);
});

test.each(["serpapi", "tavily", "brave", "searxng"] as const)(
  "reads the publication date of %s's results",
  async (name) => {
    site = await openLoopback(send(documented[name].type, documented[name].body));
    const { output } = await openSearch({ urls: { [name]: site.url } }).search({ query });
    expect(output.results[0]!.date).toMatch(/2025/);
    expect(output.results[1]).not.toHaveProperty("date");
  },
);

test.each(providerNames.filter((name) => name !== "duckduckgo"))(
  "reads the response of %s despite a wrong content type",
  async (name) => {
    site = await openLoopback(send("text/html", documented[name].body));
    const { output } = await openSearch({ urls: { [name]: site.url } }).search({ query });
    expect(output.results).toHaveLength(2);
  },
);

const empty = {
  serpapi: { search_metadata: { status: "Success" }, error: "Google hasn't returned any results for this query." },
  openrouter: { choices: [{ message: { role: "assistant", content: "I found nothing." } }] },
  tavily: { query, results: [], response_time: 0.5 },
  brave: { type: "search", query: { original: query } },
  searxng: { query, results: [], unresponsive_engines: [] },
  firecrawl: { success: true, data: {} },
} as const;

test.each(Object.keys(empty) as (keyof typeof empty)[])("an empty result of %s is not a failure", async (name) => {
  site = await openLoopback(sendJson(empty[name]));
  const { output } = await openSearch({ urls: { [name]: site.url } }).search({ query });
  expect(output.attempts).toMatchObject([{ provider: name, code: "nothing-found" }]);
  expect(output.note).toMatch(/found no results/);
});

test("an empty result of duckduckgo is not a failure", async () => {
  site = await openLoopback(send("text/html", '<div class="no-results">No results found.</div>'));
  const { output } = await openSearch({ urls: { duckduckgo: site.url } }).search({ query });
  expect(output.attempts).toMatchObject([{ provider: "duckduckgo", code: "nothing-found" }]);
});

test("recognizes duckduckgo's challenge and uses its API instead", async () => {
  const challenge = '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>';
  site = await openLoopback((asked, response) =>
    asked.path === "/html/"
      ? send("text/html", challenge, 202)(asked, response)
      : send("application/x-javascript", instantAnswer)(asked, response),
  );
  const { output } = await openSearch({ urls: { duckduckgo: site.url } }).search({ query });
  expect(site.asked.map(({ path, params }) => [path, params["format"]])).toEqual([
    ["/html/", undefined],
    ["/", "json"],
  ]);
  expect(output.results.map(({ title, url }) => [title, url])).toEqual([
    ["Reykjavik", "https://encyclopedia.example/Reykjavik"],
    ["Official site", "https://reykjavik.example/"],
    ["Capitals in Europe", "https://duckduckgo.com/c/Capitals_in_Europe"],
  ]);
});

test("reports a challenge if the API fails, too", async () => {
  site = await openLoopback(send("text/html", '<form id="challenge-form">', 202));
  const { output } = await openSearch({ urls: { duckduckgo: site.url } }).search({ query });
  expect(output.attempts).toMatchObject([
    { provider: "duckduckgo", code: "blocked", reason: "It asked for a CAPTCHA." },
  ]);
});

test("distinguishes a rejected key from other errors of each provider", async () => {
  const refusals = [
    ["serpapi", 401, { error: "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key" }],
    ["openrouter", 401, { error: { code: 401, message: "No auth credentials found" } }],
    ["tavily", 401, { detail: { error: "Unauthorized: missing or invalid API key." } }],
    [
      "brave",
      422,
      {
        type: "ErrorResponse",
        error: {
          code: "SUBSCRIPTION_TOKEN_INVALID",
          detail: "The provided subscription token is invalid.",
          status: 422,
        },
      },
    ],
    ["firecrawl", 401, { success: false, error: "Unauthorized: Invalid token" }],
  ] as const;
  for (const [name, status, body] of refusals) {
    await site?.close();
    site = await openLoopback(sendJson(body, status));
    const { output } = await openSearch({ urls: { [name]: site.url } }).search({ query });
    expect(output.attempts, name).toMatchObject([
      { code: "key-refused", reason: expect.stringMatching(/^It rejected the API key/) },
    ]);
  }
});

test("distinguishes an exhausted quota from a rate limit", async () => {
  const limits = [
    ["serpapi", 429, { error: "Your account has run out of searches." }, "quota"],
    ["tavily", 432, { detail: { error: "This request exceeds your plan's set usage limit." } }, "quota"],
    ["tavily", 433, { detail: { error: "This request exceeds the pay-as-you-go limit." } }, "quota"],
    ["tavily", 429, { detail: { error: "Your request has been blocked due to excessive requests." } }, "rate-limited"],
    [
      "brave",
      429,
      {
        type: "ErrorResponse",
        error: { code: "RATE_LIMITED", detail: "Request rate limit exceeded for plan", status: 429 },
      },
      "rate-limited",
    ],
    ["openrouter", 402, { error: { code: 402, message: "Insufficient credits" } }, "quota"],
    ["firecrawl", 402, { success: false, error: "Payment required to access this resource." }, "quota"],
    [
      "firecrawl",
      429,
      { success: false, error: "Request rate limit exceeded. Please wait and try again later." },
      "rate-limited",
    ],
  ] as const;
  for (const [name, status, body, code] of limits) {
    await site?.close();
    site = await openLoopback(sendJson(body, status));
    const { output } = await openSearch({ urls: { [name]: site.url } }).search({ query });
    expect(output.attempts, JSON.stringify(body)).toMatchObject([{ code }]);
  }
});

test("says what to change in a SearXNG instance without JSON", async () => {
  site = await openLoopback(send("text/html", "<h1>Forbidden</h1>", 403));
  const { output } = await openSearch({ urls: { searxng: site.url } }).search({ query });
  expect(output.attempts[0]!.reason).toMatch(/search\.formats/);
  const inside = await openSearch({ urls: { searxng: "http://10.0.0.7:8080" } }).search({ query });
  expect(inside.output.attempts[0]!.reason).toMatch(/STONECHAT_ALLOW_PRIVATE/);
});

test("removes keys from a provider's failure text", async () => {
  for (const name of ["serpapi", "openrouter", "tavily", "brave", "firecrawl"] as const) {
    const key = Object.entries(keys).find(([one]) => one.startsWith(name.toUpperCase()))![1];
    await site?.close();
    site = await openLoopback(
      sendJson({ error: `The API key ${key} is not valid, see https://x.example/?k=${key}` }, 401),
    );
    const { output } = await openSearch({ urls: { [name]: site.url } }).search({ query });
    expect(output.attempts, name).toMatchObject([{ code: "key-refused" }]);
    expect(JSON.stringify(output), name).not.toContain(key);
  }
});
