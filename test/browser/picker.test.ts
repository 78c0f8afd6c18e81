import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startInstance, say } from "../support/instance.ts";
import { checkAccess, devicesOf } from "./check-access.ts";
import { composerOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { paid, stubModels } from "./stub-models.ts";

const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };

async function openPicker(options: Parameters<typeof openPage>[1] = {}) {
  const instance = await startInstance({ script: () => say("Yes."), env });
  await instance.client.createProfile({ body: { id: "own-1", name: "Harbour pilot", from: "research" } });
  const page = await openPage(instance.url, options);
  await stubModels(page, paid);
  await buttonOf(page).click();
  await popupOf(page).waitFor();
  return { page, ...instance };
}

const buttonOf = (page: Page) => page.getByRole("button", { name: /^Model:/ });
const popupOf = (page: Page) => page.getByRole("dialog", { name: "Choose a model" });
const toThreadId = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

test.skipIf(noBrowser)(
  "lists models with provider, price and window, and unavailable ones with the reason",
  async () => {
    const { page } = await openPicker();
    const list = popupOf(page).getByRole("listbox", { name: "Models" });
    const option = list.getByRole("option", { name: /Basalt/ });
    await seeText(() => option.innerText(), "OpenRouter · $2 in, $8 out per million · 128k window · hard and old");
    await seeText(() => list.innerText(), /OPENROUTER_API_KEY|key/i);
    expect(await list.getByRole("option", { disabled: true }).count()).toBeGreaterThan(0);
  },
);

test.skipIf(noBrowser)("starts a thread with the profile and effort chosen by keyboard", async () => {
  const { page, client } = await openPicker();
  await popupOf(page)
    .getByRole("radio", { name: /^Medium/ })
    .focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => popupOf(page).getByRole("radio", { name: /^High/ }).isChecked()).toBe(true);
  await popupOf(page).getByRole("tab", { name: "Model" }).focus();
  await page.keyboard.press("ArrowRight");
  const profiles = popupOf(page).getByRole("listbox", { name: "Profiles" });
  await profiles.waitFor();
  await seeText(() => profiles.innerText(), /^Harbour pilot\s*custom[\s\S]*Stone[\s\S]*Research[\s\S]*Builder/);
  await profiles.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect.poll(() => popupOf(page).count()).toBe(0);
  await expect.poll(() => buttonOf(page).getAttribute("aria-label")).toBe("Model: Basalt, Harbour pilot, high effort");
  await sendMessage(page, "Which way is the wind?");
  await page.getByRole("article", { name: "Stonechat" }).getByText("Yes.").waitFor();
  const { thread } = await client.getThread({ params: { threadId: toThreadId(page) } });
  expect(thread).toMatchObject({ profile: "own-1", effort: "high", model: "scripted/script" });
});

test.skipIf(noBrowser)("changes a thread's profile and effort, also after a reload", async () => {
  const { page, client } = await openPicker();
  await page.keyboard.press("Escape");
  await sendMessage(page, "Hello");
  await page.getByRole("article", { name: "Stonechat" }).getByText("Yes.").waitFor();
  const threadId = toThreadId(page);
  await buttonOf(page).click();
  await popupOf(page).getByText("Low", { exact: true }).click();
  await expect.poll(async () => (await client.getThread({ params: { threadId } })).thread.effort).toBe("low");
  await popupOf(page).getByRole("tab", { name: "Profile" }).click();
  await popupOf(page)
    .getByRole("option", { name: /^Research/ })
    .click();
  await expect.poll(() => buttonOf(page).getAttribute("aria-label")).toBe("Model: Basalt, Research, low effort");
  await page.reload();
  await expect.poll(() => buttonOf(page).getAttribute("aria-label")).toBe("Model: Basalt, Research, low effort");
  await buttonOf(page).click();
  await popupOf(page).getByText("Medium", { exact: true }).click();
  await expect.poll(async () => (await client.getThread({ params: { threadId } })).thread.effort).toBeNull();
});

test.skipIf(noBrowser)("offers no effort for a model without reasoning", async () => {
  const { page } = await openPicker();
  await popupOf(page).getByRole("radiogroup", { name: "Thinking" }).waitFor();
  await page.unrouteAll();
  await stubModels(page, { ...paid, reasoning: false });
  await buttonOf(page).click();
  await popupOf(page).getByRole("listbox", { name: "Models" }).waitFor();
  expect(await popupOf(page).getByRole("radiogroup", { name: "Thinking" }).count()).toBe(0);
});

for (const [name, { viewport }] of devicesOf(1)) {
  test.skipIf(noBrowser)(`the picker passes axe on ${name}`, async () => {
    const { page } = await openPicker({ viewport });
    await checkAccess(page, "models");
    await popupOf(page).getByRole("tab", { name: "Profile" }).click();
    await popupOf(page)
      .getByRole("option", { name: /Harbour pilot/ })
      .waitFor();
    await checkAccess(page, "profiles");
  });
}

test.skipIf(noBrowser)("does not send a message that is too long for Research and keeps the text", async () => {
  const { page, client } = await openPicker();
  await popupOf(page).getByRole("tab", { name: "Profile" }).click();
  await popupOf(page)
    .getByRole("option", { name: /^Research/ })
    .click();
  await page.keyboard.press("Escape");
  const text = "r".repeat(10_001);
  await composerOf(page).fill(text);
  await page.getByText("10,001 of 10,000 characters. Shorten the message to send it.").waitFor();
  await composerOf(page).press("Enter");
  expect(await page.getByRole("button", { name: "Send", exact: true }).isEnabled()).toBe(false);
  expect((await client.listThreads({})).threads).toEqual([]);
  expect((await composerOf(page).inputValue()).trimEnd()).toBe(text);
  await composerOf(page).fill(text.slice(1));
  await composerOf(page).press("Enter");
  await expect.poll(async () => (await client.listThreads({})).threads.length).toBe(1);
});
