import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const fieldOf = (page: Page) => page.getByRole("combobox", { name: "Type a command or search" });
const optionsOf = (page: Page) => page.getByRole("listbox", { name: "Commands" }).getByRole("option");

async function runCommand(page: Page, query: string, title: string | RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  await fieldOf(page).fill(query);
  await seeText(() => optionsOf(page).first().innerText(), title);
  await page.keyboard.press("Enter");
  await fieldOf(page).waitFor({ state: "detached" });
}

async function openThread(question = "How are stones made?") {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, question);
  await answerWith(voice, "Slowly.");
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  return { page, voice, url };
}

test.skipIf(noBrowser)("finds and runs every thread command", async () => {
  const { page, url } = await openThread();
  const client = createClient({ baseUrl: url });
  const threadId = new URL(page.url()).pathname.slice(3);
  const thread = () => client.getThread({ params: { threadId }, query: { limit: 1 } }).then((all) => all.thread);

  await runCommand(page, "rename", "Rename this thread");
  await page.getByRole("dialog").getByRole("textbox", { name: "Title" }).fill("On stones");
  await page.keyboard.press("Enter");
  await expect.poll(() => thread().then(({ title }) => title)).toBe("On stones");

  await runCommand(page, "pin", "Pin this thread");
  await expect.poll(() => thread().then(({ pinned }) => pinned)).toBe(true);
  await runCommand(page, "unpin", "Unpin this thread");
  await expect.poll(() => thread().then(({ pinned }) => pinned)).toBe(false);

  await runCommand(page, "context", "Context of this thread");
  await page.getByRole("complementary", { name: /context/i }).waitFor();
  await runCommand(page, "summar", "Summary of this thread");
  await page.getByRole("dialog", { name: /summary/i }).waitFor();
  await page.keyboard.press("Escape");

  const saved = page.waitForEvent("download");
  await runCommand(page, "export markdown", "Export this thread as Markdown");
  expect((await saved).suggestedFilename()).toMatch(/\.md$/);

  await runCommand(page, "delete", "Delete this thread");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "What is on your mind?" }).waitFor();
  await expect.poll(() => rowsOf(page).count()).toBe(0);
});

test.skipIf(noBrowser)("starts threads, changes the theme, and opens settings and other threads", async () => {
  const { page, voice } = await openThread();
  await runCommand(page, "new thread research", "New thread: Research");
  await page.getByRole("heading", { name: "What is on your mind?" }).waitFor();
  await page.getByRole("button", { name: /Research/ }).waitFor();
  await sendMessage(page, "And sand?");
  await answerWith(voice, "From stones.");
  await seeText(() => answersOf(page).innerText(), "From stones.");

  await runCommand(page, "stones made", "How are stones made?");
  await seeText(() => answersOf(page).innerText(), "Slowly.");

  await runCommand(page, "dark", "Dark theme");
  await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  await runCommand(page, "api key", "Models and keys");
  await expect.poll(() => new URL(page.url()).pathname).toBe("/settings/models");
  await runCommand(page, "usage", "Usage and budgets");
  await page.getByRole("dialog", { name: "Usage" }).waitFor();
  await page.keyboard.press("Escape");
  await runCommand(page, "no such thing as this", "Search everything for “no such thing as this”");
  await expect.poll(() => new URL(page.url()).pathname).toBe("/search");

  // Recent commands are first when nothing is typed.
  await page.keyboard.press("Control+k");
  await seeText(() => optionsOf(page).first().innerText(), "Usage and budgets");
  await page.keyboard.press("Control+k");
  await fieldOf(page).waitFor({ state: "detached" });
});

test.skipIf(noBrowser)("stops a running answer, and offers that only while one runs", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "Talk on");
  (await voice.next()).say("and on");
  await seeText(() => answersOf(page).innerText(), "and on");
  await runCommand(page, "stop", "Stop the answer");
  await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await fieldOf(page).fill("stop the answer");
  await expect
    .poll(() =>
      optionsOf(page)
        .filter({ hasText: /^Stop the answer/ })
        .count(),
    )
    .toBe(0);
});

test.skipIf(noBrowser)(
  "moves with arrow keys, announces the active command, and returns the focus on Escape",
  async () => {
    const { page } = await openThread();
    const message = page.getByRole("textbox", { name: "Message", exact: true });
    await message.focus();
    await page.keyboard.press("Control+k");
    const readActive = () =>
      page.evaluate("document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText");
    const first = await optionsOf(page).first().innerText();
    await expect.poll(readActive).toBe(first);
    await page.keyboard.press("ArrowDown");
    await expect.poll(readActive).toBe(await optionsOf(page).nth(1).innerText());
    await page.keyboard.press("End");
    await expect.poll(readActive).toBe(await optionsOf(page).last().innerText());
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("message");
  },
);

test.skipIf(noBrowser)("the palette passes axe on desktop and phone", async () => {
  const { page, url } = await openThread();
  await page.keyboard.press("Control+k");
  await optionsOf(page).first().waitFor();
  await checkAccess(page, "palette");
  await fieldOf(page).fill("thread");
  await checkAccess(page, "palette with a query");

  const phone = await openPage(url, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await phone.getByRole("button", { name: "Threads", exact: true }).click();
  await phone.getByRole("button", { name: "Commands" }).click();
  await optionsOf(phone).first().waitFor();
  await checkAccess(phone, "palette on a phone");
});

test.skipIf(noBrowser)("starts a project and opens the archive, also on a phone", async () => {
  for (const width of [1440, 390]) {
    const { url } = await startWithScriptedModel();
    const page = await openPage(url, { viewport: { width, height: 844 } });
    await composerOf(page).waitFor();
    await runCommand(page, "new project", "New project");
    const name = page.getByRole("textbox", { name: /project/i });
    await name.fill("The quay");
    await name.press("Enter");
    await page.getByRole("heading", { name: "The quay" }).first().waitFor();
    await runCommand(page, "archived", "Archived threads");
    await page.getByRole("button", { name: "Archived threads" }).first().waitFor();
  }
});

test.skipIf(noBrowser)("keys typed right after the shortcut reach the palette and never the draft", async () => {
  const { page } = await openThread();
  await composerOf(page).fill("Half a thought");
  const gate = Promise.withResolvers<void>();
  await page.route(/palette/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("renn");
  await page.keyboard.press("Backspace");
  expect(await fieldOf(page).count()).toBe(0);
  gate.resolve();
  await fieldOf(page).waitFor();
  await page.keyboard.type("ame");
  await expect.poll(() => fieldOf(page).inputValue()).toBe("rename");
  await page.keyboard.press("Escape");
  expect(await composerOf(page).inputValue()).toBe("Half a thought");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("pin");
  await expect.poll(() => fieldOf(page).inputValue()).toBe("pin");
  await page.keyboard.press("Escape");
  await fieldOf(page).waitFor({ state: "detached" });
  await composerOf(page).press("End");
  await page.keyboard.type("!");
  expect(await composerOf(page).inputValue()).toBe("Half a thought!");
});
