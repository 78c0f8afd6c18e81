import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

test.skipIf(noBrowser)(
  "a thread is renamed, shared and deleted from its header, and a phone starts a new one",
  async () => {
    const { voice, url } = await startWithScriptedModel();
    const page = await openPage(url);
    await sendMessage(page, "Tides at the coast");
    await answerWith(voice, "They come and go.");
    await seeText(() => answersOf(page).innerText(), "They come and go.");
    const header = page.getByRole("main").locator("header");
    await header.getByRole("button", { name: "Tides at the coast" }).click();
    const field = header.getByRole("textbox", { name: "Title" });
    await field.fill("Tides of Brittany");
    await field.press("Enter");
    await seeText(() => rowsOf(page).first().innerText(), "Tides of Brittany");
    const title = header.getByRole("button", { name: "Tides of Brittany" });
    await expect.poll(() => title.evaluate((one) => one.ownerDocument.activeElement === one)).toBe(true);
    await title.press("Enter");
    await field.fill("Not this");
    await field.press("Escape");
    await title.waitFor();

    await header.getByRole("button", { name: "Share this thread" }).click();
    await page.getByRole("dialog", { name: "Share this thread" }).waitFor();
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 780 });
    await checkAccess(page, "thread header on a phone");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await header.getByRole("button", { name: "More for this thread" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await header.getByRole("link", { name: "New thread" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/");
  },
);

test.skipIf(noBrowser)("Keep turns a temporary thread into an ordinary one that can be searched", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await page.getByRole("button", { name: "More ways to start" }).click();
  await page.getByRole("menuitem", { name: "New temporary thread" }).click();
  await sendMessage(page, "Between us");
  await answerWith(voice, "A wheatear, of course.");
  await seeText(() => answersOf(page).innerText(), "A wheatear, of course.");
  expect(await page.getByRole("button", { name: "Add to project" }).count()).toBe(0);
  const client = createClient({ baseUrl: url });
  const search = async () => (await client.search({ params: {}, query: { q: "wheatear" } })).hits.length;
  expect(await search()).toBe(0);
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByRole("button", { name: "Keep", exact: true }).waitFor({ state: "detached" });
  await seeText(() => rowsOf(page).first().innerText(), "Between us");
  expect(await search()).toBeGreaterThan(0);
  await page.getByRole("navigation", { name: "Threads" }).waitFor();
  await page.getByRole("link", { name: "New thread" }).first().click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/");
  await rowsOf(page).filter({ hasText: "Between us" }).click();
  await seeText(() => answersOf(page).innerText(), "A wheatear, of course.");
});
