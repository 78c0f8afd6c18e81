import { expect, test } from "vitest";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const answer = [
  "# Heading",
  "Some **bold** text, `code`, a [link](https://example.com).",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  '```ts\n// a comment\nconst a: number = 1; return "text";\n```',
  "> a quote\n\n- [x] done\n- [ ] open",
].join("\n\n");

test.skipIf(noBrowser)("a conversation is accessible, light and dark", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await page.getByRole("heading", { name: "What is on your mind?" }).waitFor();
  await checkAccess(page, "start");

  await sendMessage(page, "Show me everything");
  const call = await voice.next();
  call.think("thinking about it");
  call.say("half a sen");
  await seeText(() => answersOf(page).innerText(), "half a sen");
  await sendMessage(page, "This one waits");
  await page.getByRole("button", { name: "Remove from queue" }).waitFor();
  await checkAccess(page, "answering");

  call.say(`\n\n${answer}`);
  call.finish();
  (await voice.next()).fail("It did not work.");
  await page.getByRole("button", { name: "Retry" }).waitFor();
  await page.getByText("Reasoning").first().click();
  await answersOf(page).locator(".hljs-keyword").first().waitFor();
  await checkAccess(page, "answered");

  await page.getByRole("button", { name: /^Model:/ }).click();
  await page.getByRole("listbox", { name: "Models" }).waitFor();
  await checkAccess(page, "models");
  await page.keyboard.press("Escape");

  await page.getByRole("textbox", { name: "Search threads" }).fill("everything");
  await page.getByRole("navigation", { name: "Search results" }).locator("mark").first().waitFor();
  await checkAccess(page, "search");
  await page.getByRole("button", { name: "Clear search" }).click();

  await page.getByRole("navigation", { name: "Threads" }).getByRole("link").first().focus();
  await page.keyboard.press("Delete");
  await page.getByRole("alertdialog").waitFor();
  await checkAccess(page, "delete");
  await page.keyboard.press("Escape");
});

test.skipIf(noBrowser)("a conversation is accessible on a phone, light and dark", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Hello");
  await page.getByRole("button", { name: "Send" }).click();
  await answerWith(voice, answer);
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  await checkAccess(page, "thread");
  await page.getByRole("button", { name: "Threads", exact: true }).click();
  await page.getByRole("dialog", { name: "Threads" }).getByRole("link", { name: /Hello/ }).waitFor();
  await checkAccess(page, "drawer");
});

test.skipIf(noBrowser)("the chosen theme is applied before the first paint and survives a reload", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, { colorScheme: "light" });
  const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const light = await ground();
  await page.getByRole("button", { name: /^Theme: system/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  await page.getByRole("button", { name: /^Theme: dark/ }).waitFor();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.goto(url, { waitUntil: "commit" });
  await expect.poll(() => page.evaluate("document.documentElement?.dataset.theme")).toBe("dark");
  expect(await ground()).toBe(dark);
});
