import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const isThere = (url: string, threadId: string) =>
  createClient({ baseUrl: url })
    .getThread({ params: { threadId }, query: { limit: 1 } })
    .then(
      ({ thread }) => (thread.temporary ? "temporary" : "kept"),
      () => "gone",
    );

async function beginTemporary() {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await page.getByRole("button", { name: "More ways to start" }).click();
  await page.getByRole("menuitem", { name: "New temporary thread" }).click();
  await page.getByText("This thread is temporary").waitFor();
  return { voice, url, page };
}

test.skipIf(noBrowser)(
  "a temporary thread says what it is, stands in no list, and is gone when it is left",
  async () => {
    const { voice, url, page } = await beginTemporary();
    await sendMessage(page, "Between us");
    await answerWith(voice, "Of course.");
    await seeText(() => answersOf(page).innerText(), "Of course.");
    await page.getByText("deleted when you leave it").waitFor();
    const threadId = new URL(page.url()).pathname.slice(3);
    expect(await isThere(url, threadId)).toBe("temporary");
    await seeText(() => page.getByRole("navigation", { name: "Threads" }).innerText(), "No threads yet.");

    // The settings are no other place.
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.goBack();
    await seeText(() => answersOf(page).innerText(), "Of course.");
    expect(await isThere(url, threadId)).toBe("temporary");

    await page.getByRole("link", { name: "New thread" }).click();
    await page.getByText("Temporary thread deleted.").waitFor();
    expect(await isThere(url, threadId)).toBe("gone");
    expect(await composerOf(page).inputValue()).toBe("");
    expect(await page.getByText("This thread is temporary").count()).toBe(0);
  },
);

test.skipIf(noBrowser)("it goes with the page, too, and an ordinary thread does not", async () => {
  const { voice, url, page } = await beginTemporary();
  await sendMessage(page, "Between us");
  await answerWith(voice, "Of course.");
  await seeText(() => answersOf(page).innerText(), "Of course.");
  const threadId = new URL(page.url()).pathname.slice(3);
  await page.goto("about:blank");
  await expect.poll(() => isThere(url, threadId)).toBe("gone");

  await page.goto(url);
  await sendMessage(page, "To be kept");
  await answerWith(voice, "Kept.");
  await seeText(() => answersOf(page).innerText(), "Kept.");
  const keptId = new URL(page.url()).pathname.slice(3);
  await page.getByRole("link", { name: "New thread" }).click();
  await rowsOf(page).filter({ hasText: "To be kept" }).waitFor();
  await page.goto("about:blank");
  expect(await isThere(url, keptId)).toBe("kept");
});

test.skipIf(noBrowser)(
  "what is begun for it stays in this browser, and is switched off as it was switched on",
  async () => {
    const { url, page } = await beginTemporary();
    await composerOf(page).pressSequentially("not for the server");
    await expect
      .poll(() => page.evaluate("localStorage.getItem('stonechat.draft.new.temporary')"))
      .toBe("not for the server");
    await page.getByRole("button", { name: "Temporary" }).click();
    await expect.poll(() => composerOf(page).inputValue()).toBe("");
    const { drafts } = await createClient({ baseUrl: url }).listDrafts({ params: {} });
    expect(drafts).toEqual([]);
  },
);

test.skipIf(noBrowser)("temporary threads without a finding of axe, light and dark", async () => {
  const { voice, page } = await beginTemporary();
  await checkAccess(page, "temporary start");
  await page.getByRole("button", { name: "More ways to start" }).click();
  await page.getByRole("menuitem", { name: "New temporary thread" }).waitFor();
  await checkAccess(page, "ways to begin");
  await page.keyboard.press("Escape");
  await sendMessage(page, "Between us");
  await answerWith(voice, "Of course.");
  await seeText(() => answersOf(page).innerText(), "Of course.");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText("Temporary", { exact: false }).first().waitFor();
  await checkAccess(page, "temporary on a phone");
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});
