import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ModelRequest } from "../../protocol/model.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { openLoopback, send, sendJson } from "../support/web/loopback.ts";
import { answersOf, noBrowser, openPage, sendMessage } from "./open-page.ts";

const fact = "At Saint-Malo the tidal range reaches 12 metres at spring tide.";
const page = `<!doctype html><title>Tides at Saint-Malo</title><body><main><h1>Tides at Saint-Malo</h1><p>${fact}</p><p>${"The harbour is quiet in winter. ".repeat(20)}</p></main>`;

test.skipIf(noBrowser)(
  "a question leads to a search, pages and an answer with a citation that opens the passage",
  async () => {
    const site = await openLoopback((request, response) => send("text/html; charset=utf-8", page)(request, response));
    onTestFinished(site.close);
    const results = [
      { url: `${site.url}/tides`, title: "Tides at Saint-Malo", content: "The tidal range at Saint-Malo." },
    ];
    const search = await openLoopback((request, response) => sendJson({ results })(request, response));
    onTestFinished(search.close);
    const { url } = await startInstance({
      env: {
        STONECHAT_MODEL: "offline/stone",
        STONECHAT_OFFLINE_PACE_MS: "0",
        STONECHAT_SEARCH: "searxng",
        STONECHAT_SEARXNG_URL: search.url,
        STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1,search=127.0.0.1,scrape=127.0.0.1",
      },
    });
    const browser = await openPage(url, { viewport: { width: 1440, height: 860 } });
    await sendMessage(browser, "Search the web for the tidal range at Saint-Malo");
    const citation = browser.getByRole("button", { name: /^Source \d+:/ }).first();
    await citation.waitFor();
    await browser.getByRole("group", { name: "Sources" }).getByText("Tides at Saint-Malo").first().waitFor();
    await citation.click();
    const panel = browser.getByRole("complementary", { name: "Saved copy" });
    await panel.getByText(fact).first().waitFor();
    expect(await panel.locator("mark").first().innerText()).toContain("12 metres");
  },
);

const removed: string[] = [];
const remove = defineTool({
  name: "remove_notes",
  description: "Removes notes.",
  input: z.object({ what: z.string() }),
  repeat: "keyed",
  effects: ["write", "destructive"],
  limits: { timeoutMs: 5000 },
  describe: ({ what }) => `Remove ${what}`,
  execute: async ({ what }) => {
    removed.push(what);
    return { output: "removed" };
  },
});

test.skipIf(noBrowser)("one approval is denied; another survives a restart and is approved after it", async () => {
  removed.length = 0;
  const options = {
    tools: [remove],
    script: ({ messages }: ModelRequest) => {
      // Context updates are user messages too, but not from the user.
      const requested = messages.filter((one) => one.role === "user" && one.text.startsWith("Remove ")).length;
      const executed = messages.filter(({ role }) => role === "tool").length;
      return requested > executed
        ? call({ name: "remove_notes", input: `{"what":"note ${requested}"}` })
        : say(`That was ${requested}.`);
    },
  };
  const first = await startInstance(options);
  const before = await openPage(first.url, { allowErrors: true });
  await sendMessage(before, "Remove the first");
  await before.getByRole("group", { name: "Remove note 1" }).getByRole("button", { name: "Deny", exact: true }).click();
  await answersOf(before).getByText("That was 1.").waitFor();
  await sendMessage(before, "Remove the second");
  await before.getByRole("group", { name: "Remove note 2" }).waitFor();
  const path = new URL(before.url()).pathname;
  const dataDir = await first.leave();

  const second = await startInstance({ ...options, dataDir });
  const after = await openPage(`${second.url}${path}`);
  await after.getByRole("group", { name: "Remove note 2" }).getByRole("button", { name: "Allow once" }).click();
  await answersOf(after).getByText("That was 2.").waitFor();
  expect(removed).toEqual(["note 2"]);
});

test.skipIf(noBrowser)("an answer that reaches its step limit says so and continues with a button", async () => {
  let counted = 0;
  const count = defineTool({
    name: "count",
    description: "Counts.",
    input: z.object({ n: z.number() }),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 5000 },
    execute: async () => ({ output: (counted += 1) }),
  });
  const { url } = await startInstance({
    tools: [count],
    env: { STONECHAT_MAX_STEPS: "2" },
    script: (request, index) =>
      request.toolChoice === "none" ? say(`So far ${counted}.`) : call({ name: "count", input: `{"n":${index}}` }),
  });
  const browser = await openPage(url);
  await sendMessage(browser, "Count on");
  await answersOf(browser).getByText("So far 2.").waitFor();
  await browser
    .getByText(/reached its limit of 2 steps/)
    .first()
    .waitFor();
  await browser.getByRole("button", { name: "Continue" }).click();
  await answersOf(browser).getByText("So far 4.").waitFor();
});
