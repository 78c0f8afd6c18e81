import { expect, onTestFinished, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { createProviderServer, type ProviderCall } from "../support/provider-server.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { stubSettings } from "./settings/stub-settings.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const wrongKey = "sk-wrong-basalt-0123456789";
const rightKey = "sk-right-granite-0123456789";

const json = (value: unknown, status = 200) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

/** A provider on this machine that lists its models if the key is right. */
async function serveModels(key: string | null) {
  const next = ({ headers }: ProviderCall) =>
    key !== null && headers.authorization !== `Bearer ${key}`
      ? json({ error: { message: "Incorrect API key provided" } }, 401)
      : json({ data: [{ id: "gpt-5.5" }, { id: "basalt-1" }, { id: "basalt-2" }] });
  const server = await createProviderServer({ next });
  onTestFinished(server.close);
  return server;
}

test.skipIf(noBrowser)("a key is tested when it is saved, and never shown again", async () => {
  const provider = await serveModels(rightKey);
  const { url, client } = await startInstance({ env: { OPENAI_BASE_URL: `${provider.url}/v1` } });
  const page = await openPage(url, { allowErrors: true });
  await composerOf(page).waitFor();
  await page.keyboard.press("Control+,");
  await page.waitForURL("**/settings/models");
  const card = page.getByRole("listitem", { name: "OpenAI", exact: true });
  await seeText(() => card.innerText(), /No key[\s\S]*OPENAI_API_KEY/);

  await card.getByRole("button", { name: "Add key: OpenAI" }).click();
  const field = card.getByLabel("Key for OpenAI", { exact: true }).and(page.locator("input"));
  expect(await field.getAttribute("type")).toBe("password");
  await field.fill("two words");
  await card.getByRole("button", { name: "Save and test" }).click();
  await seeText(() => card.getByRole("alert").innerText(), /^This does not look like a key, because .*characters\.$/);
  await field.fill(wrongKey);
  await card.getByRole("button", { name: "Save and test" }).click();
  await seeText(() => card.innerText(), /Key rejected[\s\S]*rejects this key[\s\S]*Tested/);

  await card.getByRole("button", { name: "Replace key: OpenAI" }).click();
  expect(await field.inputValue()).toBe("");
  await field.fill(rightKey);
  await field.press("Enter");
  await seeText(() => card.innerText(), /A key was set on[\s\S]*never shown again/);
  await seeText(() => card.innerText(), /\d+ models?[\s\S]*Tested/);
  expect(provider.calls.map(({ headers }) => headers.authorization)).toContain(`Bearer ${rightKey}`);

  const seen = `${await page.content()} ${await page.evaluate<string>("JSON.stringify({ ...localStorage })")}`;
  expect(seen).not.toContain(rightKey);
  expect(seen).not.toContain(wrongKey);
  const ready = page.getByRole("group", { name: "Ready to use" });
  await seeText(() => ready.innerText(), "openai/gpt-5.5");

  await page.goto(url);
  await page.getByRole("button", { name: /^Model:/ }).click();
  await page
    .getByRole("group", { name: "Ready to use" })
    .getByRole("option", { name: /GPT-5\.5/ })
    .waitFor();

  await page.goto(`${url}/settings/models`);
  await card.getByRole("button", { name: "Remove: OpenAI" }).click();
  const question = page.getByRole("alertdialog", { name: "Remove the key for OpenAI?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await seeText(() => card.innerText(), /A key was set on/);
  await card.getByRole("button", { name: "Remove: OpenAI" }).click();
  await question.getByRole("button", { name: "Remove" }).click();
  await seeText(() => card.innerText(), "No key");
  const { providers } = await client.listProviders({});
  expect(providers.find(({ id }) => id === "openai")).toMatchObject({ key: "none", isReady: false });
});

test.skipIf(noBrowser)("a server is added by its address and appears in every tab", async () => {
  const provider = await serveModels(rightKey);
  const { url, client } = await startInstance();
  const page = await openPage(`${url}/settings/models`, { allowErrors: true });
  const other = await page.context().newPage();
  await other.goto(`${url}/settings/models`);
  await page.getByRole("button", { name: "Add server" }).click();
  const form = page.getByRole("form", { name: "New server" });
  await form.getByLabel("Name", { exact: true }).fill("OpenAI");
  await form.getByText("Another server has this name.").waitFor();
  await form.getByLabel("Name", { exact: true }).fill("Lab in the cellar");
  await form.getByLabel("Address", { exact: true }).fill("ftp://127.0.0.1/v1");
  await form.getByRole("button", { name: "Save and test" }).click();
  await expect.poll(() => form.getByRole("alert").count()).toBe(1);
  expect(await form.getByLabel("Address", { exact: true }).inputValue()).toBe("ftp://127.0.0.1/v1");

  // Without http:// and /v1, as people type it.
  await form.getByLabel("Address", { exact: true }).fill(provider.url.replace("http://", ""));
  await form.getByLabel("Key (optional)").fill(rightKey);
  await form.getByText("Models and headers").click();
  await form.getByLabel("Headers").fill("X-Tenant: blue");
  await form.getByRole("button", { name: "Save and test" }).click();
  const card = page.getByRole("listitem", { name: "Lab in the cellar", exact: true });
  await seeText(() => card.innerText(), /3 models[\s\S]*127\.0\.0\.1[\s\S]*Tested/);
  await expect.poll(() => card.evaluate((item) => item.matches(":focus"))).toBe(true);
  await expect.poll(async () => ((await card.boundingBox())?.y ?? -1) >= 0).toBe(true);
  await seeText(() => page.getByRole("group", { name: "Ready to use" }).innerText(), "basalt-2");
  expect(provider.calls.at(-1)?.headers).toMatchObject({ "x-tenant": "blue" });
  const there = other.getByRole("listitem", { name: "Lab in the cellar", exact: true });
  await seeText(() => there.innerText(), "3 models");
  await seeText(() => other.getByRole("group", { name: "Ready to use" }).innerText(), "basalt-1");

  await page.getByRole("textbox", { name: "Filter models" }).fill("basalt");
  await expect.poll(() => page.getByRole("group", { name: "Ready to use" }).getByRole("listitem").count()).toBe(2);
  await page.getByRole("textbox", { name: "Filter models" }).fill("no such stone");
  await page.getByText("No matching models.").waitFor();

  // Favorite, default and settings of a model.
  await page.getByRole("textbox", { name: "Filter models" }).fill("basalt-2");
  const row = page.getByRole("listitem", { name: "lab-in-the-cellar/basalt-2" });
  await row.getByRole("button", { name: "Favorite: basalt-2" }).click();
  await expect
    .poll(() => row.getByRole("button", { name: "Favorite: basalt-2" }).getAttribute("aria-pressed"))
    .toBe("true");
  await row.getByRole("button", { name: "Make default: basalt-2" }).click();
  await row.getByText("Default", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Settings: basalt-2" }).click();
  await row.getByLabel("Context window (tokens)").fill("9000");
  await row.getByLabel("Temperature").fill("0.3");
  await row.getByRole("combobox", { name: "Images" }).selectOption("Sent");
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText("Saved").waitFor();
  const { models } = await client.listModels({});
  expect(models.find(({ id }) => id === "lab-in-the-cellar/basalt-2")).toMatchObject({
    favorite: true,
    windowTokens: 9000,
    vision: true,
    settings: { temperature: 0.3, topP: null, vision: true },
  });
  expect((await client.getMe({})).defaultModel).toBe("lab-in-the-cellar/basalt-2");
});

test.skipIf(noBrowser)("a new default replaces the model that was chosen last in this browser", async () => {
  const provider = await serveModels(null);
  const { url, client } = await startInstance({ env: { STONECHAT_SCRIPTED: "0" } });
  await client.setProviderAddress({ params: { provider: "lab" }, body: { baseUrl: `${provider.url}/v1` } });
  await client.testProvider({ params: { provider: "lab" }, body: {} });
  const page = await openPage(url);
  await page.getByRole("button", { name: /^Model:/ }).click();
  await page.getByRole("option", { name: /basalt-1/ }).click();
  await page.getByRole("button", { name: /^Model: basalt-1/ }).waitFor();
  await page.goto(`${url}/settings/models`);
  await page.getByRole("button", { name: "Make default: basalt-2" }).click();
  await page.getByRole("listitem", { name: "lab/basalt-2" }).getByText("Default", { exact: true }).waitFor();
  await page.goto(url);
  await page.getByRole("button", { name: /^Model: basalt-2/ }).waitFor();
});

test.skipIf(noBrowser)("a wrong key leaves the default alone, and its models cannot become the default", async () => {
  const provider = await serveModels(rightKey);
  const { url, client } = await startInstance({
    env: { STONECHAT_SCRIPTED: "0", OPENAI_BASE_URL: `${provider.url}/v1` },
  });
  const page = await openPage(`${url}/settings/models`, { allowErrors: true });
  const card = page.getByRole("listitem", { name: "OpenAI", exact: true });
  await card.getByRole("button", { name: "Add key: OpenAI" }).click();
  await card.locator("input").fill(wrongKey);
  await card.getByRole("button", { name: "Save and test" }).click();
  await seeText(() => card.innerText(), /Key rejected[\s\S]*OpenAI rejects this key/);
  expect((await client.getMe({})).defaultModel).toBe("offline/stone");
  const row = page.getByRole("listitem", { name: "openai/gpt-5.5" });
  expect(await row.getByRole("button", { name: "Make default: GPT-5.5" }).isDisabled()).toBe(true);
});

test.skipIf(noBrowser)("a key set by the operator is shown as such and cannot be changed", async () => {
  const provider = await serveModels(rightKey);
  const { url } = await startInstance({
    env: { OPENAI_API_KEY: rightKey, OPENAI_BASE_URL: `${provider.url}/v1` },
  });
  const page = await openPage(`${url}/settings/models`);
  const card = page.getByRole("listitem", { name: "OpenAI", exact: true });
  await seeText(() => card.innerText(), /The operator has set the key in OPENAI_API_KEY/);
  expect(await card.getByRole("button", { name: /key/ }).count()).toBe(0);
  await card.getByRole("button", { name: "Test: OpenAI" }).click();
  await seeText(() => card.innerText(), /models[\s\S]*Tested/);
});

test.skipIf(noBrowser)("a form keeps unsaved input when saving fails or another section is opened", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { allowErrors: true });
  await stubSettings(page, url);
  await page.route("**/api/providers/openai/key", (route) => route.abort());
  await page.goto(`${url}/settings/models`);
  const card = page.getByRole("listitem", { name: "OpenAI", exact: true });
  await card.getByRole("button", { name: "Add key: OpenAI" }).click();
  const field = card.locator("input");
  await field.fill(rightKey);
  await field.press("Enter");
  await seeText(() => card.getByRole("alert").innerText(), "cannot be reached");
  expect(await field.inputValue()).toBe(rightKey);

  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Tools and servers" }).click();
  await page.getByRole("button", { name: "Add server" }).click();
  await page.getByLabel("Name", { exact: true }).fill("half a na");
  await page.getByText("without spaces").waitFor();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Models and keys" }).click();
  await card.getByRole("button", { name: "Add key: OpenAI" }).click();
  expect(await field.inputValue()).toBe(rightKey);

  await page.goto(`${url}/settings/tools`);
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("half a na");
  // Secrets are kept in memory only.
  await page.goto(`${url}/settings/models`);
  await card.getByRole("button", { name: "Add key: OpenAI" }).click();
  expect(await field.inputValue()).toBe("");
});
