import { expect, onTestFinished, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { call, mintId, say, startInstance } from "../support/instance.ts";
import { openLoopback, send, sendJson } from "../support/web/loopback.ts";

const secret = "the-password-of-the-operator";

/** SearXNG in the operator's network, with a page that only the operator may read. */
async function openSearxng() {
  const site = await openLoopback((asked, response) =>
    asked.path === "/search"
      ? sendJson({ results: [{ url: "https://a.example/", title: "Granite", content: "Granite is hard." }] })(
          asked,
          response,
        )
      : send("text/html", `<p>${secret}</p>`)(asked, response),
  );
  onTestFinished(site.close);
  return { ...site, host: new URL(site.url).host };
}

/** A search, then the page that the user names, then an answer. */
async function searchAndRead(env: Readonly<Record<string, string>>, url: string) {
  const prompts: string[] = [];
  const script = (request: ModelRequest) => {
    prompts.push(JSON.stringify(request.messages));
    const results = request.messages.filter(({ role }) => role === "tool").length;
    if (results === 0) return call({ name: "search_web", input: JSON.stringify({ query: "granite" }) });
    if (results === 1) return call({ name: "scrape_webpage", input: JSON.stringify({ url }), id: "read" });
    return say("That is all.");
  };
  const instance = await startInstance({ script, env: { STONECHAT_SEARCH: "searxng", ...env } });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, `Look for granite, then read ${url}`, { id: mintId() });
  expect(await live.ended()).toMatchObject({ outcome: "done" });
  return prompts.join("\n");
}

test("a SearXNG that searches may reach is not readable as a page", async () => {
  const site = await openSearxng();
  const env = { STONECHAT_SEARXNG_URL: site.url, STONECHAT_ALLOW_PRIVATE: `searxng=${site.host}` };
  const prompts = await searchAndRead(env, `${site.url}/admin`);
  expect(prompts).toContain("Granite is hard.");
  expect(prompts).not.toContain(secret);
  expect(site.asked.map(({ path }) => path)).toEqual(["/search"]);
});

test("control: it is readable where scraping is allowed by name", async () => {
  const site = await openSearxng();
  const allowed = `search=${site.host},scrape=${site.host}`;
  const env = { STONECHAT_SEARXNG_URL: site.url, STONECHAT_ALLOW_PRIVATE: allowed };
  expect(await searchAndRead(env, `${site.url}/admin`)).toContain(secret);
});

test("an address allowed for one feature is refused for models and MCP servers", async () => {
  const { client } = await startInstance({
    env: { STONECHAT_ALLOW_PRIVATE: "search=127.0.0.1,search=10.1.2.3,scrape=127.0.0.1" },
  });
  // Without a token, loopback itself is allowed for models.
  const body = { baseUrl: "http://10.1.2.3:11434/v1" };
  const setting = client.setProviderAddress({ params: { provider: "compatible" }, body });
  await expect(setting).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("model=10.1.2.3:11434"),
  });
  const site = await openSearxng();
  await client.addServer({ body: { name: "inside", url: `${site.url}/mcp` } });
  const signingIn = client.signInToServer({ params: { server: "inside" }, body: {} });
  await expect(signingIn).rejects.toThrow();
  expect(site.asked).toEqual([]);
});
