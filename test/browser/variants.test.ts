import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answersOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel, type ScriptedModel } from "./scripted-model.ts";

async function ask(page: Page, voice: ScriptedModel, question: string, answer: string): Promise<void> {
  await sendMessage(page, question);
  await answerWith(voice, answer);
  await seeText(() => answersOf(page).last().innerText(), answer);
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
}

const edit = async (page: Page, from: string, to: string) => {
  const question = questionsOf(page).filter({ hasText: from });
  await question.hover();
  await question.getByRole("button", { name: "Edit message" }).click();
  await page.getByRole("textbox", { name: "Message text" }).fill(to);
  await page.getByRole("form", { name: "Edit message" }).getByRole("button", { name: "Send" }).click();
};

test.skipIf(noBrowser)("an edited message becomes a variant; both branches can be selected", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "Tell me of birds", "Birds fly.");
  await ask(page, voice, "And more?", "They sing.");
  await edit(page, "Tell me of birds", "Tell me of stones");
  await answerWith(voice, "Stones lie.");
  await seeText(() => answersOf(page).innerText(), "Stones lie.");
  await expect.poll(() => page.getByText("They sing.").count()).toBe(0);

  await page.getByRole("button", { name: "Previous variant" }).click();
  await seeText(() => questionsOf(page).first().innerText(), "Tell me of birds");
  await seeText(() => answersOf(page).last().innerText(), "They sing.");
  expect(await questionsOf(page).count()).toBe(2);
  await page.reload();
  await seeText(() => answersOf(page).last().innerText(), "They sing.");
  await page.getByRole("button", { name: "Next variant" }).click();
  await seeText(() => answersOf(page).innerText(), "Stones lie.");
});

test.skipIf(noBrowser)("an answer is continued in a new thread, and the first thread stays as it is", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "Tell me of birds", "Birds fly.");
  await ask(page, voice, "And more?", "They sing.");
  const before = page.url();
  await answersOf(page).first().hover();
  await answersOf(page).first().getByRole("button", { name: "More for this message" }).click();
  await page.getByRole("menuitem", { name: "Continue in a new thread" }).click();
  await expect.poll(() => page.url()).not.toBe(before);
  await seeText(() => answersOf(page).innerText(), "Birds fly.");
  await page.getByRole("heading", { name: "Branch of “Tell me of birds”" }).waitFor();
  await ask(page, voice, "Which ones?", "Stonechats.");
  await expect.poll(() => answersOf(page).count()).toBe(2);
  await page.goto(before);
  await seeText(() => answersOf(page).last().innerText(), "They sing.");
});

test.skipIf(noBrowser)("a regenerated answer becomes a variant in every tab", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "A name for a boat?", "Sea Breeze");
  const other = await openPage(page.url());
  await page.getByRole("button", { name: "Regenerate" }).click();
  await answerWith(voice, "Wet Paint");
  await Promise.all([page, other].map((tab) => seeText(() => answersOf(tab).innerText(), "Wet Paint")));
  await page.getByRole("img", { name: "Variant 2 of 2" }).waitFor();
  await other.getByRole("button", { name: "Previous variant" }).click();
  await Promise.all([page, other].map((tab) => seeText(() => answersOf(tab).innerText(), "Sea Breeze")));
});

test.skipIf(noBrowser)("a cancelled edit changes nothing", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await ask(page, voice, "Stay as you are", "I will.");
  await questionsOf(page).hover();
  await page.getByRole("button", { name: "Edit message" }).click();
  await page.getByRole("textbox", { name: "Message text" }).fill("something else");
  await page.getByRole("textbox", { name: "Message text" }).press("Escape");
  await seeText(() => questionsOf(page).innerText(), "Stay as you are");
  await expect.poll(() => page.getByRole("group", { name: "Variants" }).count()).toBe(0);
});
