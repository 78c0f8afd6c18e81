import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel, type ScriptedModel } from "./scripted-model.ts";

async function ask(page: Page, voice: ScriptedModel, question: string, answer: string): Promise<void> {
  await sendMessage(page, question);
  await answerWith(voice, answer);
  await seeText(() => answersOf(page).last().innerText(), answer.split("\n")[0] ?? "");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
}

const openMenu = async (page: Page, message: ReturnType<typeof answersOf>) => {
  await message.hover();
  await message.getByRole("button", { name: "More for this message" }).click();
  await page.getByRole("menu").waitFor();
};
const choose = (page: Page, name: string) => page.getByRole("menuitem", { name }).click();

test.skipIf(noBrowser)("quotes a whole answer after the existing text and focuses the field", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "Say two lines", "One line.\n\nAnother line.");
  await composerOf(page).fill("About this:");
  await openMenu(page, answersOf(page));
  await choose(page, "Quote message");
  await expect.poll(() => composerOf(page).inputValue()).toBe("About this:\n\n> One line.\n>\n> Another line.\n\n");
  await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toBe("Message");
});

test.skipIf(noBrowser)("quotes only the selected text, also from a question", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "Which birds sing", "Larks and stonechats do.");
  await questionsOf(page).hover();
  await questionsOf(page)
    .getByText("Which birds sing")
    .evaluate((words) =>
      words.ownerDocument.getSelection().setBaseAndExtent(words.firstChild, 6, words.firstChild, 11),
    );
  await questionsOf(page).getByRole("button", { name: "More for this message" }).press("Enter");
  await choose(page, "Quote selection");
  await expect.poll(() => composerOf(page).inputValue()).toBe("> birds\n\n");
});

test.skipIf(noBrowser)("branching from an earlier answer keeps later messages as a variant", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "First", "Answer one.");
  await ask(page, voice, "Second", "Answer two.");
  await openMenu(page, answersOf(page).first());
  await choose(page, "Branch from here");
  await page.getByRole("status").filter({ hasText: "Show message 2" }).waitFor();
  await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toBe("Message");
  await sendMessage(page, "Another second");
  await answerWith(voice, "Answer three.");
  await seeText(() => answersOf(page).last().innerText(), "Answer three.");
  expect(await page.getByText("Answer two.").count()).toBe(0);
  expect(await page.getByText("branches from").count()).toBe(0);
  await page.getByRole("button", { name: "Previous variant" }).click();
  await seeText(() => answersOf(page).last().innerText(), "Answer two.");
  await seeText(() => answersOf(page).first().innerText(), "Answer one.");
});

test.skipIf(noBrowser)("branching can be canceled, and the message is added at the end", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "First", "Answer one.");
  await ask(page, voice, "Second", "Answer two.");
  await openMenu(page, answersOf(page).first());
  await choose(page, "Branch from here");
  await page.getByRole("button", { name: "Continue from the last message instead" }).click();
  await ask(page, voice, "Third", "Answer three.");
  expect(await questionsOf(page).count()).toBe(3);
});

test.skipIf(noBrowser)("every answer shows its cost in its menu", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "First", "Answer one.");
  await ask(page, voice, "Second", "Answer two.");
  await openMenu(page, answersOf(page).first());
  await seeText(() => page.getByRole("menu").innerText(), "script · 10 in · 5 out");
});
