import { expect, onTestFinished, test } from "vitest";
import { healthyReply } from "../support/chat-wire.ts";
import { createGate, startInstance } from "../support/instance.ts";
import { createProviderServer } from "../support/provider-server.ts";
import { checkAccess, devicesOf } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, seeText } from "./open-page.ts";

/** An instance as after installation: no key, only the built-in model, no threads. */
const startFresh = () => startInstance({ env: { STONECHAT_SCRIPTED: "0" } });

/** The built-in model's answer to each sample, by a phrase that only a correct answer contains. */
const answers: Readonly<Record<string, RegExp>> = {
  "What can you do?": /demo model/,
  "What time is it?": /\d{1,2}:\d{2}/,
  Calculate: /434/,
  "Give it a fact": /two pebbles knocked together/,
};

test.skipIf(noBrowser)(
  "the start page introduces Stonechat, names the demo model and links to the model settings",
  async () => {
    const { url } = await startFresh();
    const page = await openPage(url);
    await page.getByRole("list", { name: "About Stonechat" }).getByText("Runs on your server.").waitFor();
    // It fits on one screen without scrolling.
    const fits = `(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector('[role="region"][aria-label="Start"]'))`;
    expect(await page.evaluate(fits)).toBe(true);
    const hint = page.getByRole("complementary", { name: "About the demo model" });
    await hint.getByText("You're using the built-in demo model").waitFor();
    await hint.getByRole("link", { name: "Connect a model" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/settings/models");
  },
);

test.skipIf(noBrowser)(
  "Ollama on this machine is offered at once and answers after one click and a message",
  async () => {
    const reply = (value: unknown) => ({
      headers: { "content-type": "application/json" },
      body: JSON.stringify(value),
    });
    const ollama = await createProviderServer({
      next: ({ path }) => {
        if (path === "/v1/models") return reply({ object: "list", data: [{ id: "qwen3:8b", owned_by: "library" }] });
        return path.startsWith("/api/") ? reply({}) : healthyReply("From my own machine.");
      },
    });
    onTestFinished(ollama.close);
    const env = {
      STONECHAT_SCRIPTED: "0",
      OLLAMA_HOST: new URL(ollama.url).host,
      STONECHAT_SUMMARY_MODELS: "none/none",
    };
    const { url } = await startInstance({ env });
    const page = await openPage(url);
    const hint = page.getByRole("complementary", { name: "About the demo model" });
    await hint.getByText("Ollama is running on this machine, with 1 model.").waitFor();
    await checkAccess(page, "start page with Ollama");
    await hint.getByRole("button", { name: "Use Ollama" }).click();
    await hint.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
    await expect.poll(() => composerOf(page).evaluate((field) => field.matches(":focus"))).toBe(true);
    await composerOf(page).fill("Where are you?");
    await composerOf(page).press("Enter");
    await answersOf(page).getByText("From my own machine.").waitFor();
  },
);

test.skipIf(noBrowser)("the built-in model answers every sample without a network", async () => {
  const { url } = await startFresh();
  const page = await openPage(url);
  const samples = page.getByRole("list", { name: "Suggestions" }).getByRole("button");
  await samples.first().waitFor();
  const labels = await samples.allInnerTexts();
  expect(labels.toSorted()).toEqual(Object.keys(answers).toSorted());
  for (const label of labels) {
    await page.getByRole("link", { name: "New thread" }).click();
    await page.getByRole("button", { name: label, exact: true }).click();
    await composerOf(page).press("Enter");
    await page.getByRole("button", { name: "Regenerate", exact: true }).waitFor();
    await seeText(() => answersOf(page).last().innerText(), answers[label] ?? /never/);
    expect(await answersOf(page).last().innerText()).not.toMatch(/I do not know|did not work|failed/i);
  }
  // The introduction is gone once a thread exists.
  await page.getByRole("link", { name: "New thread" }).click();
  await page.getByRole("heading", { name: "What is on your mind?" }).waitFor();
  expect(await page.getByRole("list", { name: "About Stonechat" }).count()).toBe(0);
});

test.skipIf(noBrowser)("the notice about the demo model stays hidden after a reload", async () => {
  const { url } = await startFresh();
  const page = await openPage(url);
  const hint = page.getByRole("complementary", { name: "About the demo model" });
  await hint.getByRole("button", { name: "Hide" }).click();
  await hint.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("list", { name: "Suggestions" }).getByRole("button").first().waitFor();
  expect(await hint.count()).toBe(0);
});

test.skipIf(noBrowser)("the start page has no axe findings", async () => {
  const { url } = await startFresh();
  for (const [name, { viewport }] of devicesOf(1)) {
    const page = await openPage(url, { viewport });
    await page.getByRole("list", { name: "About Stonechat" }).waitFor();
    await page.getByRole("complementary", { name: "About the demo model" }).waitFor();
    await checkAccess(page, `first page on ${name}`);
  }
});

test.skipIf(noBrowser)("the page does not move when Ollama is found, or nothing", async () => {
  const { url } = await startFresh();
  const page = await openPage("about:blank");
  const server = { id: "ollama", label: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", models: 5, isAdded: false };
  for (const servers of [[server], []]) {
    const [asked, found] = [createGate(), createGate()];
    await page.route("**/api/local-servers", async (route) => {
      asked.open();
      await found.passed;
      await route.fulfill({ json: { servers, allowed: true } });
    });
    await page.goto(url);
    await asked.passed;
    const hint = page.getByRole("complementary", { name: "About the demo model" });
    await hint.getByText("Looking for a model server on this machine…").waitFor();
    const before = await composerOf(page).boundingBox();
    found.open();
    await hint.getByText(servers.length > 0 ? "Ollama is running" : "No model server was found").waitFor();
    expect(await composerOf(page).boundingBox()).toEqual(before);
    await page.unroute("**/api/local-servers");
  }
});

test.skipIf(noBrowser)(
  "a lost network is shown before the first message, and its thread names the chosen model",
  async () => {
    const provider = await createProviderServer({
      next: () => ({
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ object: "list", data: [{ id: "basalt-1" }, { id: "basalt-2" }] }),
      }),
    });
    onTestFinished(provider.close);
    const { url, client } = await startFresh();
    await client.setProviderAddress({ params: { provider: "lab" }, body: { baseUrl: `${provider.url}/v1` } });
    await client.testProvider({ params: { provider: "lab" }, body: {} });
    const page = await openPage(url, { allowErrors: true });
    await page.getByRole("button", { name: /^Model:/ }).click();
    await page.getByRole("option", { name: /basalt-2/ }).click();
    // In a thread without a project, tools for files have nothing to work on.
    await composerOf(page).fill("@");
    const suggestions = page.getByRole("listbox", { name: "Suggestions" });
    await suggestions
      .getByRole("option", { name: /weather/i })
      .first()
      .waitFor();
    expect(await suggestions.innerText()).not.toMatch(/workspace/i);
    await composerOf(page).fill("");
    await page.context().setOffline(true);
    await page.getByText("Offline", { exact: true }).waitFor();
    await composerOf(page).fill("Anybody there?");
    await composerOf(page).press("Enter");
    await page.waitForURL("**/t/*");
    await page.getByRole("button", { name: /^Model: basalt-2/ }).waitFor();
    await page.context().setOffline(false);
  },
);
