import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { attach } from "../support/attachments/attach.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const waitingOf = (page: Page) => page.getByRole("list", { name: "Queued messages" }).getByRole("listitem");
const trayOf = (page: Page) => page.getByRole("list", { name: "Attached files" }).getByRole("listitem");
const focused = (page: Page) => page.locator(":focus").getAttribute("aria-label");
const threadOf = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

/** A thread with one question whose answer is still running. */
async function openAnswering() {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, { allowErrors: true });
  await sendMessage(page, "First");
  const answer = await voice.next();
  answer.say("one");
  await seeText(() => answersOf(page).innerText(), "one");
  return { page, voice, url, answer };
}

const addFile = async (page: Page, url: string) => {
  await attach(url, { name: "notes.md", bytes: "Basalt comes from the north.", threadId: threadOf(page) });
  await page.reload();
  await expect.poll(() => trayOf(page).count()).toBe(1);
};

test.skipIf(noBrowser)("an edit that failed stays in its field and can be sent again", async () => {
  const { page, voice, answer } = await openAnswering();
  answer.finish();
  await page.getByRole("button", { name: "Edit message" }).click();
  const field = page.getByRole("textbox", { name: "Message text" });
  await field.fill("A better first");
  await page.route("**/edit*", (route) => route.abort());
  await field.press("Enter");
  await page.getByText("The message was not edited").waitFor();
  expect(await field.inputValue()).toBe("A better first");
  await page.unroute("**/edit*");
  await field.press("Enter");
  await answerWith(voice, "better");
  await seeText(() => questionsOf(page).innerText(), "A better first");
  expect(await field.count()).toBe(0);
});

test.skipIf(noBrowser)("a message that failed to branch returns to the field", async () => {
  const { page, voice, answer } = await openAnswering();
  answer.finish();
  await sendMessage(page, "Second");
  await answerWith(voice, "two");
  await seeText(() => answersOf(page).last().innerText(), "two");
  await answersOf(page).first().hover();
  await answersOf(page).first().getByRole("button", { name: "More for this message" }).click();
  await page.getByRole("menuitem", { name: "Branch from here" }).click();
  await page.getByText("branches from").waitFor();
  await page.route("**/edit*", (route) => route.abort());
  await sendMessage(page, "Another second");
  await page.getByText("The message was not edited").waitFor();
  expect(await composerOf(page).inputValue()).toBe("Another second");
  await page.getByText("branches from").waitFor();
  await page.unroute("**/edit*");
  await composerOf(page).press("Enter");
  await answerWith(voice, "three");
  await seeText(() => questionsOf(page).last().innerText(), "Another second");
});

test.skipIf(noBrowser)(
  "a withdrawn message returns to the field with its files, and steering takes them along",
  async () => {
    const { page, voice, url, answer } = await openAnswering();
    await addFile(page, url);
    await sendMessage(page, "With notes");
    await expect.poll(() => waitingOf(page).count()).toBe(1);
    expect(await trayOf(page).count()).toBe(0);
    await waitingOf(page).getByRole("button", { name: "Remove from queue" }).click();
    await expect.poll(() => composerOf(page).inputValue()).toBe("With notes");
    await expect.poll(() => trayOf(page).count()).toBe(1);
    await expect.poll(() => focused(page)).toBe("Message");

    await composerOf(page).press("Enter");
    await waitingOf(page).getByRole("button", { name: "Send now" }).click();
    await answerWith(voice, "read");
    answer.finish();
    await expect.poll(() => focused(page)).toBe("Message");
    await seeText(() => questionsOf(page).last().innerText(), /notes\.md[\s\S]*With notes/);
    await page.getByRole("button", { name: "Edit message" }).last().click();
    const edit = page.getByRole("form", { name: "Edit message" });
    await edit.getByText("notes.md").waitFor();
    await edit.getByRole("textbox").fill("With the notes");
    await page.keyboard.press("Enter");
    await answerWith(voice, "read again");
    await seeText(() => questionsOf(page).last().innerText(), /notes\.md[\s\S]*With the notes/);
  },
);

test.skipIf(noBrowser)("files sent in one tab disappear from the tray of another", async () => {
  const { page, url, answer } = await openAnswering();
  await addFile(page, url);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect.poll(() => trayOf(other).count()).toBe(1);
  await page.bringToFront();
  await sendMessage(page, "With notes");
  await expect.poll(() => waitingOf(other).count()).toBe(1);
  await expect.poll(() => trayOf(other).count()).toBe(0);
  answer.finish();
});

test.skipIf(noBrowser)("focus stays on the variant buttons, else moves to the message field", async () => {
  const { page, voice, answer } = await openAnswering();
  await page.getByRole("button", { name: "Stop" }).press("Enter");
  await expect.poll(() => focused(page)).toBe("Message");
  answer.finish();
  const again = page.getByRole("button", { name: "Regenerate" }).first();
  await again.press("Enter");
  await answerWith(voice, "another");
  await seeText(() => answersOf(page).innerText(), "another");
  await page.getByRole("button", { name: "Previous variant" }).press("Enter");
  await seeText(() => answersOf(page).innerText(), "one");
  await expect.poll(() => focused(page)).toBe("Next variant");
  await page.keyboard.press("Enter");
  await seeText(() => answersOf(page).innerText(), "another");
  await expect.poll(() => focused(page)).toBe("Previous variant");
  await page.getByRole("button", { name: "Edit message" }).press("Enter");
  await page.getByRole("textbox", { name: "Message text" }).press("Escape");
  await expect.poll(() => focused(page)).toBe("Edit message");
});
