import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const stateOf = (url: string, threadId: string) =>
  createClient({ baseUrl: url })
    .getThread({ params: { threadId }, query: { limit: 1 } })
    .then(
      ({ thread }) => (thread.temporary ? "temporary" : "stored"),
      () => "deleted",
    );

async function startTemporary() {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await page.getByRole("button", { name: "More ways to start" }).click();
  await page.getByRole("menuitem", { name: "New temporary thread" }).click();
  await page.getByText("This thread is temporary").waitFor();
  return { voice, url, page };
}

test.skipIf(noBrowser)("a temporary thread is marked, appears in no list, and is deleted when left", async () => {
  const { voice, url, page } = await startTemporary();
  await sendMessage(page, "Between us");
  await answerWith(voice, "Of course.");
  await seeText(() => answersOf(page).innerText(), "Of course.");
  await page.getByText("deleted when you leave it").waitFor();
  const threadId = new URL(page.url()).pathname.slice(3);
  expect(await stateOf(url, threadId)).toBe("temporary");
  await seeText(() => page.getByRole("navigation", { name: "Threads" }).innerText(), "No threads yet.");

  // Opening the settings does not count as leaving.
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.goBack();
  await seeText(() => answersOf(page).innerText(), "Of course.");
  expect(await stateOf(url, threadId)).toBe("temporary");

  await page.getByRole("link", { name: "New thread" }).click();
  await page.getByText("Temporary thread deleted.").waitFor();
  // The deletion can be undone for some seconds.
  expect(await stateOf(url, threadId)).toBe("temporary");
  await page.getByRole("button", { name: "Undo" }).click();
  await seeText(() => answersOf(page).innerText(), "Of course.");
  await page.getByRole("link", { name: "New thread" }).click();
  await page.getByText("Temporary thread deleted.").waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => stateOf(url, threadId)).toBe("deleted");
  expect(await composerOf(page).inputValue()).toBe("");
  expect(await page.getByText("This thread is temporary").count()).toBe(0);
});

test.skipIf(noBrowser)("is kept by a reload, and deleted by the next page after its tab was closed", async () => {
  const { voice, url, page } = await startTemporary();
  await sendMessage(page, "Between us");
  await answerWith(voice, "Of course.");
  await seeText(() => answersOf(page).innerText(), "Of course.");
  const threadId = new URL(page.url()).pathname.slice(3);
  await page.reload();
  await seeText(() => answersOf(page).innerText(), "Of course.");
  expect(await stateOf(url, threadId)).toBe("temporary");

  // Closed while it is loaded again.
  await page.route("**/api/threads/**", () => {});
  await page.reload();
  await page.getByRole("navigation", { name: "Threads" }).waitFor();
  await page.goto("about:blank");
  await page.unroute("**/api/threads/**");
  expect(await stateOf(url, threadId)).toBe("temporary");
  await page.goto(url);
  await expect.poll(() => stateOf(url, threadId)).toBe("deleted");
  await sendMessage(page, "An ordinary one");
  await answerWith(voice, "Stored.");
  await seeText(() => answersOf(page).innerText(), "Stored.");
  const storedId = new URL(page.url()).pathname.slice(3);
  await rowsOf(page).filter({ hasText: "An ordinary one" }).waitFor();
  await page.getByRole("link", { name: "New thread" }).click();
  await page.goto("about:blank");
  expect(await stateOf(url, storedId)).toBe("stored");
});

test.skipIf(noBrowser)("its draft stays in this browser, and the mode can be switched off again", async () => {
  const { url, page } = await startTemporary();
  await composerOf(page).pressSequentially("not for the server");
  await expect
    .poll(() => page.evaluate("localStorage.getItem('stonechat.draft.new.temporary')"))
    .toBe("not for the server");
  await page.getByRole("button", { name: "Temporary" }).click();
  await expect.poll(() => composerOf(page).inputValue()).toBe("");
  const { drafts } = await createClient({ baseUrl: url }).listDrafts({ params: {} });
  expect(drafts).toEqual([]);
});

test.skipIf(noBrowser)("temporary threads pass axe, light and dark", async () => {
  const { voice, page } = await startTemporary();
  await checkAccess(page, "temporary start");
  await page.getByRole("button", { name: "More ways to start" }).click();
  await page.getByRole("menuitem", { name: "New temporary thread" }).waitFor();
  await checkAccess(page, "ways to start");
  await page.keyboard.press("Escape");
  await sendMessage(page, "Between us");
  await answerWith(voice, "Of course.");
  await seeText(() => answersOf(page).innerText(), "Of course.");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText("Temporary", { exact: false }).first().waitFor();
  await checkAccess(page, "temporary on a phone");
});
