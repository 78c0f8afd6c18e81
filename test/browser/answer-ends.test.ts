import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel, type ScriptedModel } from "./scripted-model.ts";
import * as stub from "./stub-parts.ts";
import { stubThread } from "./stub-thread.ts";

const endOf = (page: Page) => page.getByRole("group", { name: "Answer ended early" });
const notesOf = (page: Page) => page.getByRole("note", { name: "Answer ended early" });

async function stopHalfway(page: Page, voice: ScriptedModel, question: string): Promise<void> {
  await sendMessage(page, question);
  (await voice.next()).say("The first half");
  await seeText(() => answersOf(page).last().innerText(), "The first half");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await seeText(() => endOf(page).innerText(), "Stopped.");
}

test.skipIf(noBrowser)("why an answer ended early stays visible after later messages and a reload", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Fail, please");
  (await voice.next()).fail("Nope.");
  await seeText(() => endOf(page).innerText(), "Nope.");
  await sendMessage(page, "Be cut off");
  const long = await voice.next();
  long.say("The dose is 5 mg, but never");
  long.finish("length");
  await seeText(() => endOf(page).innerText(), "output limit");
  await stopHalfway(page, voice, "Be stopped");
  await sendMessage(page, "Be done");
  await answerWith(voice, "All of it.");
  await seeText(() => answersOf(page).last().innerText(), "All of it.");
  const checkNotes = async () => {
    await expect.poll(() => notesOf(page).count()).toBe(3);
    expect(await notesOf(page).allInnerTexts()).toEqual([
      expect.stringMatching(/^Failed: .*Nope\.$/),
      "The answer was cut off at the model's output limit.",
      "Stopped.",
    ]);
    expect(await endOf(page).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
  };
  await checkNotes();
  await page.reload();
  await seeText(() => answersOf(page).last().innerText(), "All of it.");
  await checkNotes();
});

test.skipIf(noBrowser)("a stopped variant can be continued after switching back to it", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await stopHalfway(page, voice, "Be stopped");
  await endOf(page).getByRole("button", { name: "Retry" }).click();
  await answerWith(voice, "Another.");
  await seeText(() => answersOf(page).innerText(), "Another.");
  await expect.poll(() => endOf(page).count()).toBe(0);
  await page.getByRole("button", { name: "Previous variant" }).click();
  await seeText(() => endOf(page).innerText(), "Stopped.");
  await page.reload();
  await endOf(page).getByRole("button", { name: "Continue" }).click();
  await answerWith(voice, " and the second.");
  await seeText(() => answersOf(page).innerText(), "The first half and the second.");
  const announced = page.locator("main [aria-live=polite].sr-only");
  await expect.poll(async () => (await announced.allInnerTexts()).join()).toContain("and the second.");
  await expect.poll(() => endOf(page).count()).toBe(0);
  await page.getByRole("button", { name: "Next variant" }).click();
  await seeText(() => answersOf(page).innerText(), "Another.");
  expect(await endOf(page).count()).toBe(0);
});

test.skipIf(noBrowser)("an answer that failed five times is one box, with the attempts folded above it", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url);
  const reason = "OpenAI cannot be reached: its host name was not found. Check the network and the address.";
  const parts = [1, 2, 3, 4, 5].flatMap((attempt) => [
    stub.step(attempt * 2 - 1, attempt),
    ...(attempt < 5 ? [stub.notice(attempt * 2, `${reason} Trying again.`)] : []),
  ]);
  const thread = await stubThread(page, url, { parts, run: { state: "running" } });
  // While it runs, the newest reason is shown once.
  await expect
    .poll(() => answersOf(page).getByText(`${reason} Trying again.`).filter({ visible: true }).count())
    .toBe(1);
  thread.setRun({
    state: "ended",
    outcome: "failed",
    reason: { code: "unreachable", text: `${reason} Tried 5 times (openai/a, openai/b).` },
    endedAt: stub.at,
  });
  await seeText(() => endOf(page).innerText(), "Tried 5 times");
  expect(await answersOf(page).getByText("Check the network").filter({ visible: true }).count()).toBe(1);
  for (const name of ["Retry", "Another model"]) await endOf(page).getByRole("button", { name }).waitFor();
  await page.setViewportSize({ width: 390, height: 780 });
  const [box, text] = [endOf(page), endOf(page).locator("p")];
  const widthOf = (one: typeof box) => one.evaluate((element) => element.getBoundingClientRect().width);
  expect(await widthOf(text)).toBeGreaterThan((await widthOf(box)) * 0.85);
  await answersOf(page).getByText("4 failed attempts before this").click();
  expect(await answersOf(page).getByText(`${reason} Trying again.`).filter({ visible: true }).count()).toBe(4);
});
