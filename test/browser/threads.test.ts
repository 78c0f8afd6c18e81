import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answersOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel, type ScriptedModel } from "./scripted-model.ts";

async function startThread(page: Page, voice: ScriptedModel, question: string, answer: string): Promise<void> {
  await page.getByRole("link", { name: "New thread" }).click();
  await sendMessage(page, question);
  await answerWith(voice, answer);
  await seeText(() => answersOf(page).last().innerText(), answer);
  await seeText(() => rowsOf(page).filter({ hasText: question }).innerText(), answer);
}

const titles = (page: Page) => rowsOf(page).evaluateAll((rows) => rows.map((row) => row.innerText.split("\n")[0]));

const choose = async (page: Page, title: string, item: string) => {
  const row = page.getByRole("navigation", { name: "Threads" }).getByRole("listitem").filter({ hasText: title });
  await row.hover();
  await row.getByRole("button", { name: /^More for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

async function openThree() {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  for (const name of ["Amber", "Basalt", "Chalk"]) await startThread(page, voice, `${name} question`, `${name} answer`);
  return { page, url };
}

test.skipIf(noBrowser)("renames, pins, archives and deletes threads in every tab", async () => {
  const { page, url } = await openThree();
  const other = await openPage(url);
  await expect.poll(() => titles(other)).toEqual(["Chalk question", "Basalt question", "Amber question"]);

  await choose(page, "Amber", "Pin");
  await expect.poll(() => titles(other)).toEqual(["Amber question", "Chalk question", "Basalt question"]);

  await choose(page, "Chalk", "Rename");
  await page.getByRole("textbox", { name: "Thread title" }).fill("White stone");
  await page.getByRole("textbox", { name: "Thread title" }).press("Enter");
  await expect.poll(() => titles(other).then((list) => list.includes("White stone"))).toBe(true);

  await choose(page, "Basalt", "Archive");
  await expect.poll(() => titles(other).then((list) => list.length)).toBe(2);
  await other.getByRole("button", { name: "Archived threads" }).click();
  await other.getByRole("navigation", { name: "Archived threads" }).getByText("Basalt question").waitFor();

  await choose(page, "White stone", "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  expect(await titles(page)).toContain("White stone");
  await choose(page, "White stone", "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => titles(page)).toEqual(["Amber question"]);
  expect(new URL(page.url()).pathname).toBe("/");
});

test.skipIf(noBrowser)("the list works by keyboard alone", async () => {
  const { page } = await openThree();
  await page.keyboard.press("Control+Shift+f");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await seeText(() => answersOf(page).innerText(), "Basalt answer");
  await rowsOf(page).filter({ hasText: "Basalt" }).focus();
  await page.keyboard.press("F2");
  await page.keyboard.type("Dark stone");
  await page.keyboard.press("Enter");
  await expect.poll(() => titles(page).then((list) => list.includes("Dark stone"))).toBe(true);
  await rowsOf(page).filter({ hasText: "Dark stone" }).focus();
  await page.keyboard.press("Delete");
  await page.getByRole("alertdialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Shift+o");
  await page.getByRole("heading", { name: "What is on your mind?" }).waitFor();
});

test.skipIf(noBrowser)("search finds messages, marks the words and opens the thread", async () => {
  const { page } = await openThree();
  await page.getByRole("textbox", { name: "Search threads" }).fill("amber ans");
  const hits = page.getByRole("navigation", { name: "Search results" });
  await seeText(() => hits.locator("mark").first().innerText(), /amber/i);
  await hits.getByRole("listitem").getByRole("link").first().click();
  await seeText(() => answersOf(page).innerText(), "Amber answer");
  await page.getByRole("textbox", { name: "Search threads" }).fill("nothing of the kind");
  await hits.getByText("No results.").waitFor();
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect.poll(() => rowsOf(page).count()).toBe(3);
});

test.skipIf(noBrowser)("an open thread that is deleted in another tab shows that it no longer exists", async () => {
  const { page } = await openThree();
  const other = await openPage(page.url());
  await seeText(() => answersOf(other).innerText(), "Chalk answer");
  await choose(page, "Chalk", "Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await other.getByRole("heading", { name: "This thread no longer exists" }).waitFor();
});
