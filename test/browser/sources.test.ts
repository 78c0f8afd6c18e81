import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../server/tools/tool.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { stubThread } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

/** An answer with its sources as the server sends it. How the server produces it is tested there. */
async function openAnswer(options: Parameters<typeof openPage>[1] = {}) {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", options);
  await stubThread(page, url, {
    parts: [stub.search, ...stub.sources, stub.text(30, stub.answer), stub.citations],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    artifacts: [stub.artifact],
  });
  await sourcesOf(page).first().waitFor();
  return page;
}

const sourcesOf = (page: Page) => page.getByRole("group", { name: "Sources" }).getByRole("listitem");
const citationsOf = (page: Page, number: number) =>
  page.getByRole("button", { name: new RegExp(`^Source ${number}:`) });

test.skipIf(noBrowser)("sources are listed once below the answer, cited ones first, each with its status", async () => {
  const page = await openAnswer();
  const cards = await sourcesOf(page).allInnerTexts();
  expect(cards).toEqual([
    expect.stringMatching(/walks\.example[\s\S]*2[\s\S]*A walk along the sea wall[\s\S]*found$/),
    expect.stringMatching(/tides\.example[\s\S]*3[\s\S]*Tides at Saint-Malo[\s\S]*read/),
    expect.stringMatching(/broken\.example[\s\S]*A page that broke[\s\S]*failed[\s\S]*The page answered 503\./),
  ]);
  expect(await page.getByText("list[3] stays code").isVisible()).toBe(true);
  expect(await page.locator("article img").count()).toBe(0);
});

test.skipIf(noBrowser)("hovering a citation highlights its source and vice versa", async () => {
  const page = await openAnswer();
  const card = sourcesOf(page).filter({ hasText: "tides.example" });
  const isPointed = (locator: ReturnType<Page["locator"]>) => locator.getAttribute("data-pointed");
  expect(await isPointed(card)).toBeNull();
  await citationsOf(page, 3).first().hover();
  await expect.poll(() => isPointed(card)).toBe("true");
  await page.mouse.move(0, 0);
  await expect.poll(() => isPointed(card)).toBeNull();
  await card.getByRole("button").focus();
  await expect.poll(() => isPointed(citationsOf(page, 3).last())).toBe("true");
  expect(await isPointed(citationsOf(page, 2))).toBeNull();
});

test.skipIf(noBrowser)("a citation opens the passage in the saved copy, as plain text", async () => {
  const page = await openAnswer({ viewport: { width: 1440, height: 860 } });
  await citationsOf(page, 3).nth(1).click();
  const panel = page.getByRole("complementary", { name: "Saved copy" });
  const mark = panel.locator("mark");
  await seeText(() => mark.innerText(), stub.passage);
  await expect.poll(async () => (await mark.boundingBox())?.y).toBeLessThan(860);
  await seeText(
    () => panel.innerText(),
    /Tides at Saint-Malo[\s\S]*https:\/\/www\.tides\.example\/saint-malo[\s\S]*Saved /,
  );
  expect(await panel.innerText()).toContain(stub.artifact.hash.slice(0, 12));
  expect(await panel.innerText()).toContain('<script>alert("not a script")</script>');
  expect(await panel.locator("script").count()).toBe(0);
  await page.keyboard.press("Escape");
  await expect.poll(() => panel.count()).toBe(0);
  expect(await page.locator(":focus").getAttribute("aria-label")).toContain("Source 3");
});

test.skipIf(noBrowser)("a saved copy has the number that the answer cites, not that of the copy", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { viewport: { width: 1440, height: 860 } });
  const [tides] = stub.sources;
  await stubThread(page, url, {
    parts: [stub.search, ...(tides ? [tides] : []), stub.text(30, "The range is large [1].")],
    run: { state: "ended", outcome: "done", endedAt: stub.at },
    artifacts: [stub.artifact],
  });
  await sourcesOf(page).first().getByRole("button").click();
  const panel = page.getByRole("complementary", { name: "Saved copy" });
  await panel.getByText("[1]", { exact: true }).waitFor();
  expect(await panel.getByText("[3]", { exact: true }).count()).toBe(0);
});

test.skipIf(noBrowser)("an unverified citation says so, and a missing source cannot be opened", async () => {
  const page = await openAnswer({ allowErrors: true });
  const card = page.getByRole("tooltip");
  await citationsOf(page, 2).hover();
  await seeText(() => card.innerText(), /walks\.example[\s\S]*A walk along the sea wall[\s\S]*not found in the source/);
  await card.hover();
  await page.keyboard.press("Escape");
  await expect.poll(() => card.count()).toBe(0);
  expect(await citationsOf(page, 9).isDisabled()).toBe(true);
  expect(await citationsOf(page, 9).getAttribute("aria-label")).toContain("no such source");
  await citationsOf(page, 2).click();
  await page.getByText("No copy of this source was saved.").waitFor();
});

test.skipIf(noBrowser)("on a phone the saved copy is a sheet over the thread", async () => {
  const page = await openAnswer({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await citationsOf(page, 3).nth(1).tap();
  const sheet = page.getByRole("dialog", { name: "Tides at Saint-Malo" });
  await seeText(() => sheet.locator("mark").innerText(), stub.passage);
  const box = await sheet.boundingBox();
  expect([box?.x, box?.width]).toEqual([0, 390]);
  await sheet.getByRole("button", { name: "Close" }).tap();
  await expect.poll(() => sheet.count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});

const gauge = defineTool({
  name: "read_gauge",
  description: "reads",
  input: z.object({}),
  repeat: "pure",
  effects: ["read"],
  limits: { timeoutMs: 5000 },
  execute: async (_, { saveArtifact, addSource }) => {
    const url = "https://gauge.example/today";
    const text = `Waves are small. At noon ${stub.passage}. Boats come home.`;
    // As a search finds it first, and then as the page that was read.
    const found = saveArtifact({ kind: "search", title: "The gauge", url, type: "text/plain", text: "An excerpt." });
    const { ref } = saveArtifact({ kind: "page", title: "The gauge", url, type: "text/plain", text });
    addSource({ url, title: "The gauge", status: "read", relevance: 0.8, ref });
    return { output: { results: [{ url, ref: found.ref }], text } };
  },
});

test.skipIf(noBrowser)("on a real server, a tool's artifact is cited, checked and opened at its passage", async () => {
  const { url } = await startInstance({
    tools: [gauge],
    script: (_, index) =>
      index === 0
        ? call({ name: "read_gauge", input: "{}" })
        : say(`It says “${stub.passage}” [1], and “the moon is made of old cheese” [2].`),
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const page = await openPage(url, { viewport: { width: 1440, height: 860 } });
  await sendMessage(page, "How high is it?");
  await seeText(() => sourcesOf(page).innerText(), /gauge\.example[\s\S]*1[\s\S]*The gauge[\s\S]*read/);
  // Both copies of the address have one number, and the citation of the excerpt opens the page that says it.
  await expect.poll(() => citationsOf(page, 1).count()).toBe(2);
  const stop = citationsOf(page, 1).last().locator("xpath=../..");
  expect(
    await stop.evaluate((one) => [one.textContent, one.ownerDocument.defaultView.getComputedStyle(one).whiteSpace]),
  ).toEqual(["1.", "nowrap"]);
  expect(await citationsOf(page, 1).first().getAttribute("aria-label")).toBe("Source 1: The gauge");
  expect(await citationsOf(page, 1).last().getAttribute("aria-label")).toContain("not found in the source");
  await citationsOf(page, 1).first().click();
  const panel = page.getByRole("complementary", { name: "Saved copy" });
  await seeText(() => panel.locator("mark").innerText(), stub.passage);
  await citationsOf(page, 1).last().click();
  await seeText(() => panel.innerText(), /This quote was not found in the saved copy:[\s\S]*old cheese/);
});
