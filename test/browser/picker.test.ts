import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { healthyReply } from "../support/chat-wire.ts";
import { createProviderServer } from "../support/provider-server.ts";
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

test.skipIf(noBrowser)("lists usable models with provider, price and window, and links to the settings", async () => {
  const { page } = await openPicker();
  const list = popupOf(page).getByRole("group", { name: "Ready to use" });
  const option = list.getByRole("option", { name: /Basalt/ });
  await seeText(() => option.innerText(), "OpenRouter · $2 in, $8 out per million · 128k window · hard and old");
  expect(await list.getByRole("option", { disabled: true }).count()).toBe(0);
  await popupOf(page).getByRole("link", { name: "Connect a model" }).click();
  await page.waitForURL("**/settings/models");
});

test.skipIf(noBrowser)("filters 300 models, and accepts a typed id that no list has", async () => {
  const data = Array.from({ length: 300 }, (_, index) => ({ id: `stone-${index}`, owned_by: "vllm" }));
  const provider = await createProviderServer({
    next: ({ path }) =>
      path.endsWith("/models")
        ? { headers: { "content-type": "application/json" }, body: JSON.stringify({ object: "list", data }) }
        : healthyReply("Granite."),
  });
  onTestFinished(provider.close);
  const { url, client } = await startInstance({
    env: { STONECHAT_SCRIPTED: "0", STONECHAT_SUMMARY_MODELS: "none/none" },
  });
  const params = { provider: "lab" };
  await client.setProviderAddress({ params, body: { baseUrl: provider.url } });
  await client.testProvider({ params, body: {} });
  await client.changeModel({ body: { id: "lab/stone-250", favorite: true } });
  const page = await openPage(url);
  await buttonOf(page).click();
  const options = popupOf(page).getByRole("option");
  await expect.poll(() => options.count()).toBe(100);
  await seeText(() => options.first().innerText(), /stone-0\b/);
  expect(await options.first().getAttribute("aria-selected")).toBe("true");
  await seeText(() => options.nth(1).innerText(), /stone-250/);
  // The star of the active row is one Tab away. A row keeps its place until the list is opened again.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  const star = popupOf(page).getByRole("button", { name: "Favorite: stone-1", exact: true });
  await expect.poll(() => star.evaluate((button) => button.matches(":focus"))).toBe(true);
  expect(await star.getAttribute("aria-pressed")).toBe("false");
  await page.keyboard.press("Space");
  await expect.poll(() => star.getAttribute("aria-pressed")).toBe("true");
  const { models } = await client.listModels({});
  expect(models.filter(({ favorite }) => favorite).map(({ id }) => id)).toEqual(["lab/stone-1", "lab/stone-250"]);
  await popupOf(page).getByText("100 of 301 models. Type to filter.").waitFor();
  const filter = popupOf(page).getByRole("combobox", { name: "Filter models" });
  await filter.fill("stone-29");
  await expect.poll(() => options.count()).toBe(11);
  await filter.fill("lab/quartz:7b");
  await options.getByText("Use “lab/quartz:7b”").waitFor();
  await filter.press("Enter");
  await expect.poll(() => buttonOf(page).getAttribute("aria-label")).toBe("Model: lab/quartz:7b");
  await sendMessage(page, "Which stone?");
  await page.getByRole("article", { name: "Stonechat" }).getByText("Granite.").waitFor();
  expect(provider.calls.at(-1)?.body).toMatchObject({ model: "quartz:7b" });

  await client.createProfile({ body: { id: "own-1", name: "Harbour pilot", from: "research" } });
  await page.goto(`${url}/settings/profiles#own-1`);
  await page.getByRole("searchbox", { name: "Filter models" }).fill("stone-29");
  await expect.poll(() => page.getByRole("combobox", { name: "Model" }).locator("optgroup option").count()).toBe(11);
});

test.skipIf(noBrowser)(
  "models of a failing provider are last, and Enter in the fresh list changes nothing",
  async () => {
    const data = [{ id: "stone-0" }];
    let isUp = true;
    const provider = await createProviderServer({
      next: ({ path }) => {
        if (!isUp) return { status: 401, headers: { "content-type": "application/json" }, body: "{}" };
        return path.endsWith("/models")
          ? { headers: { "content-type": "application/json" }, body: JSON.stringify({ object: "list", data }) }
          : healthyReply("Granite.");
      },
    });
    onTestFinished(provider.close);
    const { url, client } = await startInstance({ script: () => say("Yes."), env });
    const params = { provider: "lab" };
    await client.setProviderAddress({ params, body: { baseUrl: provider.url } });
    await client.testProvider({ params, body: {} });
    const page = await openPage(url);
    await buttonOf(page).click();
    await popupOf(page)
      .getByRole("option", { name: /stone-0/ })
      .click();
    await expect.poll(() => buttonOf(page).getAttribute("aria-label")).toBe("Model: stone-0");
    await sendMessage(page, "Which stone?");
    await page.getByRole("article", { name: "Stonechat" }).getByText("Granite.").waitFor();
    const threadId = toThreadId(page);

    isUp = false;
    await client.testProvider({ params, body: {} });
    expect((await client.listModels({})).models.find(({ id }) => id === "lab/stone-0")?.failing).toBe(true);
    const options = popupOf(page).getByRole("option");
    await page.getByRole("button", { name: "Answer with another model" }).click();
    await seeText(() => options.last().innerText(), /stone-0\s+Last test failed/);
    await page.keyboard.press("Escape");
    await buttonOf(page).click();
    await seeText(() => options.first().innerText(), /stone-0\s+Last test failed/);
    await page.keyboard.press("Enter");
    await expect.poll(() => popupOf(page).count()).toBe(0);
    expect((await client.getThread({ params: { threadId } })).thread.model).toBe("lab/stone-0");

    await page.goto(url);
    await expect.poll(() => buttonOf(page).getAttribute("aria-label")).not.toMatch(/stone-0|^Model: Model$/);
    await buttonOf(page).click();
    await seeText(() => options.last().innerText(), /Last test failed/);
  },
);

test.skipIf(noBrowser)(
  "does not focus the filter on a touch screen, where the keyboard would cover the list",
  async () => {
    const { page } = await openPicker({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const filter = popupOf(page).getByRole("combobox", { name: "Filter models" });
    await filter.waitFor();
    expect(await filter.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(false);
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

test.skipIf(noBrowser)("does not send a message that is too long for a custom profile", async () => {
  const { page, client } = await openPicker();
  await client.createProfile({ body: { id: "short", name: "Short notes", window: { messageCharacters: 200 } } });
  await page.reload();
  await buttonOf(page).click();
  await popupOf(page).getByRole("tab", { name: "Profile" }).click();
  await popupOf(page)
    .getByRole("option", { name: /^Short notes/ })
    .click();
  await page.keyboard.press("Escape");
  await composerOf(page).fill("r".repeat(201));
  await page.getByText("201 of 200 characters. Shorten the message to send it.").waitFor();
  await composerOf(page).fill("r".repeat(200));
  await composerOf(page).press("Enter");
  await expect.poll(async () => (await client.listThreads({})).threads.length).toBe(1);
});

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
