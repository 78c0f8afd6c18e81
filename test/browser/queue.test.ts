import { expect, test } from "vitest";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

test.skipIf(noBrowser)("queues messages sent during an answer, and removes them on request", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "First");
  const first = await voice.next();
  first.say("one");
  await seeText(() => answersOf(page).innerText(), "one");
  await sendMessage(page, "Second");
  await sendMessage(page, "Never mind");
  const queued = page.getByRole("list", { name: "Queued messages" }).getByRole("listitem");
  await expect.poll(() => queued.count()).toBe(2);
  expect(await questionsOf(page).count()).toBe(1);
  await queued.filter({ hasText: "Never mind" }).getByRole("button", { name: "Remove from queue" }).click();
  await expect.poll(() => queued.count()).toBe(1);
  await expect.poll(() => composerOf(page).inputValue()).toBe("Never mind");
  first.finish();
  await answerWith(voice, "two");
  await seeText(() => answersOf(page).last().innerText(), "two");
  await expect.poll(() => queued.count()).toBe(0);
  await seeText(() => questionsOf(page).last().innerText(), "Second");
  expect(await questionsOf(page).filter({ hasText: "Never mind" }).count()).toBe(0);
});

test.skipIf(noBrowser)("stops the answer and sends at once with Ctrl+Enter or *Send now*", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "First");
  (await voice.next()).say("one");
  await seeText(() => answersOf(page).innerText(), "one");
  await composerOf(page).fill("Hurry");
  await composerOf(page).press("Control+Enter");
  (await voice.next()).say("quick");
  await seeText(() => answersOf(page).last().innerText(), "quick");
  await seeText(() => questionsOf(page).last().innerText(), "Hurry");
  expect(await answersOf(page).first().innerText()).toContain("one");
  await sendMessage(page, "Faster");
  await page.getByRole("button", { name: "Send now" }).click();
  await answerWith(voice, "at once");
  await seeText(() => answersOf(page).last().innerText(), "at once");
  await seeText(() => answersOf(page).nth(1).innerText(), "quick");
});
