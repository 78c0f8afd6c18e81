import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Response } from "../../protocol/api.ts";
import { composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const offered: Response<"listTools"> = {
  commands: [
    { command: "@basic", tool: "search_web", about: "Quick web search" },
    { command: "@search", tool: "search_web", about: "Thorough web search" },
    { command: "@workingMemory", tool: "working_memory", about: "Remember or forget something about me" },
  ],
  tools: [{ name: "weather", description: "The weather at a place", repeat: "pure", effects: ["read"] }],
};

async function openComposer(options: Parameters<typeof openPage>[1] = {}) {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, options);
  await page.route("**/api/tools", (route) => route.fulfill({ json: offered }));
  await composerOf(page).focus();
  return page;
}

const listOf = (page: Page) => page.getByRole("listbox", { name: "Suggestions" });
const activeOf = async (page: Page) => {
  const id = await composerOf(page).getAttribute("aria-activedescendant");
  return id === null ? null : page.locator(`[id="${id}"]`).innerText();
};

test.skipIf(noBrowser)("completes a command after @ by keyboard", async () => {
  const page = await openComposer();
  await page.keyboard.type("please @");
  await listOf(page).waitFor();
  expect(await listOf(page).getByRole("option").count()).toBe(4);
  await seeText(async () => (await activeOf(page)) ?? "", "basic");
  await page.keyboard.press("ArrowUp");
  await seeText(async () => (await activeOf(page)) ?? "", /^Weather[\s\S]*Current weather/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await seeText(async () => (await activeOf(page)) ?? "", /^Thorough web search/);
  await page.keyboard.press("Enter");
  await expect.poll(() => composerOf(page).inputValue()).toBe("please @search ");
  expect(await listOf(page).count()).toBe(0);
  await page.keyboard.type("tides, and @WOR");
  await listOf(page).waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => composerOf(page).inputValue()).toBe("please @search tides, and @workingMemory ");
  expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Message");
});

test.skipIf(noBrowser)("Escape closes the list, and Enter sends a complete command", async () => {
  const page = await openComposer();
  await page.keyboard.type("@ba");
  await listOf(page).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => listOf(page).count()).toBe(0);
  await page.keyboard.type("sic");
  expect(await composerOf(page).inputValue()).toBe("@basic");
  expect(await listOf(page).count()).toBe(0);
  await composerOf(page).fill("");
  await page.keyboard.type("tell me @basic");
  await listOf(page).waitFor();
  await page.keyboard.press("Enter");
  await seeText(() => questionsOf(page).innerText(), "tell me @basic");
});

test.skipIf(noBrowser)("typing an email address opens no suggestion list", async () => {
  const page = await openComposer();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.keyboard.type("write to me@basic and x@");
  expect(await listOf(page).count()).toBe(0);
  expect(requests).not.toContain("/api/tools");
  await page.keyboard.type(" @");
  await listOf(page).waitFor();
  expect(requests).toContain("/api/tools");
});

test.skipIf(noBrowser)("a tap completes a command on a phone and keeps the keyboard open", async () => {
  const page = await openComposer({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await composerOf(page).tap();
  await page.keyboard.type("@we");
  const option = listOf(page).getByRole("option", { name: /weather/ });
  await option.waitFor();
  expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await option.tap();
  await expect.poll(() => composerOf(page).inputValue()).toBe("@weather ");
  expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Message");
});

test.skipIf(noBrowser)("offers the server's commands and tools", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url);
  await composerOf(page).focus();
  await page.keyboard.type("@");
  await seeText(() => listOf(page).innerText(), /Quick web search[\s\S]*@basic[\s\S]*@workingMemory[\s\S]*Calculator/);
});
