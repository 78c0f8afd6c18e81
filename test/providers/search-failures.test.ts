import { afterEach, describe, expect, test } from "vitest";
import { providerNames, type ProviderName } from "../../server/tools/web/providers/create-providers.ts";
import type { FaultCode } from "../../server/tools/web/providers/provider.ts";
import { failures, jsonFailures, type Failure, type FailureKind } from "../support/web/failures.ts";
import { openLoopback, send, sendJson, type Loopback } from "../support/web/loopback.ts";
import { createLoopbackFetch, documented, keys, openSearch } from "../support/web/searches.ts";

let sites: Loopback[] = [];
afterEach(async () => {
  await Promise.all(sites.map((site) => site.close()));
  sites = [];
});
const open = async (...given: Parameters<typeof openLoopback>): Promise<Loopback> => {
  const site = await openLoopback(...given);
  sites.push(site);
  return site;
};

const codes: Readonly<Record<FailureKind, FaultCode>> = {
  rejected: "rejected",
  key: "key-refused",
  quota: "quota",
  forbidden: "key-refused",
  "not-found": "rejected",
  rate: "rate-limited",
  server: "server-error",
  garbage: "unreadable",
  shape: "unreadable",
  cut: "unreadable",
  time: "timeout",
  large: "unreadable",
  loop: "unreadable",
  private: "blocked",
  encoding: "unreadable",
};

/** Failures of a single provider. */
const own: Readonly<Record<ProviderName, readonly Failure[]>> = {
  serpapi: [
    {
      name: "an error with status 200",
      kind: "rejected",
      respond: sendJson({ error: "Unsupported `engine` parameter." }),
    },
    {
      name: "rows that are none",
      kind: "shape",
      respond: sendJson({ organic_results: [1, "x", {}, { link: "javascript:1" }] }),
    },
  ],
  openrouter: [
    { name: "no choices", kind: "shape", respond: sendJson({ choices: [] }) },
    {
      name: "an error with status 200",
      kind: "server",
      respond: sendJson({ error: { code: 502, message: "upstream" } }),
    },
    {
      name: "citations without an address",
      kind: "shape",
      respond: sendJson({ choices: [{ message: { annotations: [{ type: "url_citation", url_citation: {} }] } }] }),
    },
  ],
  tavily: [
    { name: "432", kind: "quota", respond: sendJson({ detail: { error: "limit" } }, 432) },
    {
      name: "rows that are none",
      kind: "shape",
      respond: sendJson({ results: [null, [], { url: 7 }, { url: "ftp://a/" }] }),
    },
  ],
  brave: [
    {
      name: "422",
      kind: "rejected",
      respond: sendJson({ type: "ErrorResponse", error: { detail: "Unable to validate" } }, 422),
    },
    {
      name: "rows that are none",
      kind: "shape",
      respond: sendJson({ type: "search", web: { results: [{}, { url: "" }] } }),
    },
  ],
  searxng: [
    { name: "rows that are none", kind: "shape", respond: sendJson({ results: [{ url: "https://u:p@a.example/" }] }) },
    { name: "its page instead of JSON", kind: "garbage", respond: send("text/html", "<html>searxng</html>") },
  ],
  firecrawl: [
    { name: "success: false", kind: "rejected", respond: sendJson({ success: false, error: "Invalid request body" }) },
    {
      name: "rows that are none",
      kind: "shape",
      respond: sendJson({ success: true, data: { web: ["https://a.example"] } }),
    },
  ],
  duckduckgo: [
    { name: "a page without results", kind: "garbage", respond: send("text/html", "<html><body>Hello</body></html>") },
    { name: "JSON instead of a page", kind: "garbage", respond: sendJson({ results: [] }) },
    { name: "nothing", kind: "garbage", respond: send("text/html", "") },
    { name: "bytes", kind: "garbage", respond: send("text/html", Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x01])) },
    {
      name: "a link to nowhere",
      kind: "shape",
      respond: send("text/html", '<a class="result__a" href="//duckduckgo.com/l/?uddg=javascript%3Aalert(1)">x</a>'),
    },
    { name: "a challenge", kind: "private", respond: send("text/html", '<form id="challenge-form">', 202) },
  ],
};

/** Some failures have a different code if the provider has no key or explains the failure. */
function expectedCode(name: ProviderName, { kind, name: failure }: Failure): FaultCode {
  if (kind === "private" && failure.endsWith("protocol")) return "rejected";
  if (name === "searxng" && (kind === "key" || kind === "forbidden")) return "rejected";
  return codes[kind];
}

const all = (name: ProviderName): readonly Failure[] => [
  ...failures,
  ...(name === "duckduckgo" ? [] : jsonFailures),
  ...own[name],
];

test("has at least twenty failures with unique names for each provider", () => {
  for (const name of providerNames) {
    const names = all(name).map((failure) => failure.name);
    expect(new Set(names).size, name).toBe(names.length);
    expect(names.length, name).toBeGreaterThanOrEqual(20);
  }
});

describe.each(providerNames)("when %s fails", (name) => {
  const next = name === "tavily" ? "searxng" : "tavily";

  test.each(all(name))("with $name, the failure is recorded and the next provider is called", async (failure) => {
    const bad = await open(failure.respond);
    const good = await open(send(documented[next].type, documented[next].body));
    const { search } = openSearch({ urls: { [name]: bad.url, [next]: good.url }, order: [name, next] });
    const { output } = await search({ query: "population of Reykjavik" }, { fetch: patientFor(failure, good.url) });

    expect(bad.asked.length).toBeGreaterThan(0);
    expect(output.attempts).toEqual([
      { provider: name, code: expectedCode(name, failure), reason: expect.any(String) },
    ]);
    expect(output.attempts[0]!.reason).toMatch(/^[\p{Lu}\d].{8,300}\.$/u);
    for (const key of Object.values(keys)) expect(JSON.stringify(output)).not.toContain(key);
    expect(output.provider).toBe(next);
    expect(output.results).toHaveLength(2);
  });

  test("with a refused connection, the failure is recorded and the next provider is called", async () => {
    const gone = await open(() => {});
    await gone.close();
    const good = await open(send(documented[next].type, documented[next].body));
    const { search } = openSearch({ urls: { [name]: gone.url, [next]: good.url }, order: [name, next] });
    const { output } = await search({ query: "population of Reykjavik" });
    expect(output).toMatchObject({ provider: next, attempts: [{ provider: name, code: "unreachable" }] });
  });

  test("with an unknown host name, the failure is recorded and the next provider is called", async () => {
    const good = await open(send(documented[next].type, documented[next].body));
    const { search } = openSearch({
      urls: { [name]: "https://nowhere.example", [next]: good.url },
      order: [name, next],
    });
    const { output } = await search({ query: "population of Reykjavik" });
    expect(output).toMatchObject({ provider: next, attempts: [{ provider: name, code: "unreachable" }] });
  });

  test("the control: without a failure no other provider is called", async () => {
    const fine = await open(send(documented[name].type, documented[name].body));
    const other = await open(send(documented[next].type, documented[next].body));
    const { search } = openSearch({ urls: { [name]: fine.url, [next]: other.url }, order: [name, next] });
    const { output } = await search({ query: "population of Reykjavik" });
    expect(output).toMatchObject({ provider: name, attempts: [] });
    expect(other.asked).toEqual([]);
  });
});

/** A short timeout for the failing provider, a long one for the other. */
function patientFor(failure: Failure, goodUrl: string) {
  const [patient, hasty] = [createLoopbackFetch(), createLoopbackFetch(250)];
  return failure.waits
    ? (url: string, init?: Parameters<typeof patient>[1]) => (url.startsWith(goodUrl) ? patient : hasty)(url, init)
    : patient;
}
