import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../server/tools/tool.ts";
import { call, createGate, say, startInstance } from "../support/instance.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { stubThread } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const cardOf = (page: Page, name: string) => page.getByRole("group", { name: `Tool ${name}`, exact: true });

/** On a real server, with a tool that waits for the test. */
async function startWithTool(execute: (progress: (text: string) => void) => Promise<unknown>) {
  const measure = defineTool({
    name: "measure_tide",
    description: "measures",
    input: z.object({ place: z.string() }),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 60_000 },
    describe: ({ place }) => `Measure the tide at ${place}`,
    execute: async (_, { progress }) => ({
      output: await execute((text) => progress({ text, done: 1, of: 4 })),
    }),
  });
  const { url } = await startInstance({
    tools: [measure],
    script: (_, index) =>
      index === 0 ? call({ name: "measure_tide", input: '{"place":"Saint-Malo"}' }) : say("Twelve metres."),
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  return openPage(url);
}

test.skipIf(noBrowser)("a card follows its call from start to end and shows its exact input", async () => {
  const gate = createGate();
  const page = await startWithTool(async (progress) => {
    progress("Waiting for high water");
    await gate.passed;
    return { metres: 12 };
  });
  await sendMessage(page, "How high?");
  const card = cardOf(page, "measure_tide");
  await seeText(() => card.innerText(), /Measure the tide at Saint-Malo[\s\S]*running/);
  await card.getByText("Waiting for high water").waitFor();
  expect(await card.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("1");
  await seeText(() => answersOf(page).innerText(), /Waiting for high water[\s\S]*Waiting for high water/);
  gate.open();
  await seeText(() => answersOf(page).innerText(), "Twelve metres.");
  await seeText(() => card.innerText(), /\d s[\s\S]*done/);
  expect(await card.getByRole("progressbar").count()).toBe(0);
  expect(await card.getByText('"metres": 12').isVisible()).toBe(false);
  await card.locator("summary").first().click();
  await card.getByText('"metres": 12').waitFor();
  expect(await card.getByLabel("Input").innerText()).toContain('"place": "Saint-Malo"');
});

test.skipIf(noBrowser)("a closed card shows why its call failed", async () => {
  const page = await startWithTool(async () => {
    throw new Error("The gauge is under water.");
  });
  await sendMessage(page, "How high?");
  await seeText(() => cardOf(page, "measure_tide").innerText(), /failed[\s\S]*The gauge is under water\./);
});

test.skipIf(noBrowser)("ticks off planned searches and folds finished calls into one line", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const thread = await stubThread(page, url, { parts: [stub.plan] });
  const planned = page.getByRole("list", { name: "Planned searches" });
  await expect.poll(() => planned.getByLabel("Not yet searched").count()).toBe(3);
  thread.settle({ ...stub.search, state: "running", output: undefined });
  await seeText(() => cardOf(page, "search_web").innerText(), "running");
  expect(await planned.getByLabel("Searched", { exact: true }).count()).toBe(0);
  thread.settle(stub.search);
  await expect.poll(() => planned.getByLabel("Searched", { exact: true }).count()).toBe(1);
  await seeText(() => cardOf(page, "search_web").innerText(), "2 results · DuckDuckGo · 1 failed");
  thread.settle(stub.pages, stub.text(30, "Up to twelve metres."));
  thread.setRun({ state: "ended", outcome: "done", endedAt: stub.at });
  const line = page.getByText(/^Read 1 page, 1 search, 1 could not be read · /);
  await line.waitFor();
  expect(await planned.isVisible()).toBe(false);
  await line.click();
  await planned.waitFor();
  const search = cardOf(page, "search_web");
  await search.locator("summary").first().click();
  const results = search.getByRole("list", { name: "Results" }).getByRole("listitem");
  expect(await results.allInnerTexts()).toEqual([
    expect.stringMatching(/Tides at Saint-Malo[\s\S]*tides\.example/),
    expect.stringMatching(/A walk along the sea wall[\s\S]*low relevance/),
  ]);
  await search.getByText("1 provider failed").click();
  await search.getByText("SerpAPI: It answered 401.").waitFor();
  await cardOf(page, "scrape_webpage").locator("summary").first().click();
  await cardOf(page, "scrape_webpage").getByText("The page answered 503.", { exact: true }).waitFor();
});

test.skipIf(noBrowser)(
  "a search that reached no provider is shown as failed, with a link to the settings",
  async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage("about:blank");
    const output = {
      query: "tides",
      provider: null,
      note: "No search provider could be reached. Tell the user and answer without web results.",
      results: [],
      attempts: [{ provider: "duckduckgo", code: "unreachable", reason: "The host name does not exist." }],
    };
    await stubThread(page, url, {
      parts: [{ ...stub.search, output }, stub.text(30, "I could not search.")],
      run: { state: "ended", outcome: "done", endedAt: stub.at },
    });
    await page.getByText("I could not search.").waitFor();
    const card = cardOf(page, "search_web");
    await seeText(() => card.innerText(), /failed[\s\S]*No search provider could be reached\.[\s\S]*Set up web search/);
    expect(await card.innerText()).not.toContain("Tell the user");
    await card.getByRole("link", { name: "Set up web search" }).click();
    await page.waitForURL("**/settings/tools");
  },
);

test.skipIf(noBrowser)(
  "a memory change can be undone on its card",
  async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage("about:blank", { allowErrors: true });
    const thread = await stubThread(page, url, { parts: [stub.memory] });
    const card = cardOf(page, "working_memory");
    await seeText(() => card.innerText(), /Location[\s\S]*Rennes[\s\S]*Saint-Malo/);
    thread.answer("undoMemory", 409, { error: { code: "conflict", message: "It changed since.", requestId: "r" } });
    await card.getByRole("button", { name: "Undo the change to location" }).click();
    await card.getByRole("alert").getByText("It changed since.").waitFor();
    thread.answer("undoMemory", 200, { memory: {} });
    await card.getByRole("button", { name: "Undo the change to location" }).click();
    await card.getByText("Undone").waitFor();
    const bodies = thread.requests.map(({ body }) => body as { id: string; changeId: string });
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/), changeId: "change-1" });
    expect(bodies[1]).toEqual(bodies[0]);
  },
  90_000,
);

test.skipIf(noBrowser)("a hidden value is revealed only on request and not stored", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank");
  const secret = "hunter2-the-secret";
  const output = { line: "token=[secret:token:0a1b2c3d]" };
  const thread = await stubThread(page, url, { parts: [stub.tool(1, "mcp__files__read", { output, redacted: 1 })] });
  const card = cardOf(page, "mcp__files__read");
  await seeText(() => card.innerText(), /files[\s\S]*Read[\s\S]*1 secret hidden/);
  await card.getByRole("button", { name: "Reveal" }).click();
  await card.getByText(secret).waitFor();
  expect(thread.requests).toEqual([{ name: "revealValue", body: { placeholder: "[secret:token:0a1b2c3d]" } }]);
  await card.getByRole("button", { name: "Hide" }).click();
  expect(await page.content()).not.toContain(secret);
  expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(secret);
});

test.skipIf(noBrowser)(
  "cards show the real results of built-in tools, and a memory change is really undone",
  async () => {
    const { url, client } = await startInstance({
      env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: ",", STONECHAT_WEATHER: "simulated" },
    });
    const page = await openPage(url);
    const changes = [
      { field: "location", op: "replace", value: "Saint-Malo", reason: "they said so" },
      { field: "name", op: "replace", value: "Maud", reason: "they said so" },
    ];
    const calls = [
      `plan_research ${JSON.stringify({ queries: [{ query: "spring tides", priority: 1, why: "to know when" }] })}`,
      `calculate ${JSON.stringify({ expression: "12 * 3" })}`,
      `weather ${JSON.stringify({ place: "Saint-Malo" })}`,
      `working_memory ${JSON.stringify({ changes })}`,
    ];
    await sendMessage(page, `call ${calls.join(" and call ")} then say finished`);
    await seeText(() => answersOf(page).innerText(), "finished");
    await page.getByText(/^Calculate, weather/).click();
    await seeText(
      () => page.getByRole("list", { name: "Planned searches" }).innerText(),
      /spring tides[\s\S]*to know when/,
    );
    await seeText(() => cardOf(page, "calculate").innerText(), /12 \* 3[\s\S]*= 36/);
    await seeText(() => cardOf(page, "weather").innerText(), /Weather in Saint-Malo[\s\S]*simulated, -?[\d.]+ °C/);
    const memory = cardOf(page, "working_memory");
    await seeText(() => memory.innerText(), /Location[\s\S]*Saint-Malo/);
    expect((await client.getMemory({})).memory.location?.value).toBe("Saint-Malo");
    await memory.getByRole("button", { name: "Undo the change to location" }).click();
    await memory.getByText("Undone").waitFor();
    expect((await client.getMemory({})).memory.location).toBeNull();
    // The card knows it after a reload, too.
    await page.reload();
    await memory.getByText("Undone").waitFor();
    expect(await memory.getByRole("button", { name: "Undo the change to location" }).count()).toBe(0);
    // A change that was forgotten cannot be undone.
    const undo = memory.getByRole("button", { name: "Undo the change to name" });
    await undo.waitFor();
    await page.getByRole("button", { name: "Memory", exact: true }).click();
    await page.getByRole("button", { name: "Forget name" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click();
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await undo.waitFor({ state: "detached" });
  },
);
