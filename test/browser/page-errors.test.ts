import { expect, test } from "vitest";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const messagesChunk = /\/assets\/thread-[\w-]{8}\.js(\?try=\d+)?$/;
const settingsChunk = /\/assets\/settings-page-[\w-]+\.js(\?try=\d+)?$/;

test.skipIf(noBrowser)("a chunk that fails while the server is down loads once it is back", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, { allowErrors: true });
  await composerOf(page).fill("half a thought");
  let refused = 0;
  let isDown = true;
  await page.route(settingsChunk, async (route) => {
    refused += 1;
    await (isDown ? route.abort("connectionrefused") : route.continue());
  });
  await page.route("**/healthz", (route) => (isDown ? route.abort("connectionrefused") : route.continue()));
  await page.getByRole("link", { name: "Settings" }).click();
  await expect.poll(() => refused).toBeGreaterThan(1);
  expect(await page.getByRole("alert").filter({ hasText: "Reload" }).count()).toBe(0);
  isDown = false;
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test.skipIf(noBrowser)(
  "a message is sent and the next one written while the chunk of messages is loading",
  async () => {
    const { voice, url } = await startWithScriptedModel();
    const page = await openPage(url);
    const gate = Promise.withResolvers<void>();
    let held = 0;
    await page.route(messagesChunk, async (route) => {
      held += 1;
      await gate.promise;
      await route.continue();
    });
    await page.reload();
    await sendMessage(page, "First thought");
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/t\//);
    const composer = composerOf(page);
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("message");
    await page.keyboard.type("Second thought");
    const before = await composer.boundingBox();
    await expect.poll(() => held).toBeGreaterThan(0);
    expect(await questionsOf(page).count()).toBe(0);
    gate.resolve();
    await seeText(() => questionsOf(page).last().innerText(), "First thought");
    expect(await composer.inputValue()).toBe("Second thought");
    expect(await composer.boundingBox()).toEqual(before);
    await answerWith(voice, "An answer");
    await seeText(() => answersOf(page).last().innerText(), "An answer");
  },
);

test.skipIf(noBrowser)("a missing chunk asks to reload, and the rest of the page keeps working", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, { allowErrors: true });
  await page.route(settingsChunk, (route) => route.fulfill({ status: 404, body: "" }));
  await page.getByRole("link", { name: "Settings" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "could not be shown" });
  await alert.waitFor();
  await page.getByRole("link", { name: "New thread" }).first().click();
  await composerOf(page).waitFor();
  await page.unroute(settingsChunk);
  await page.getByRole("link", { name: "Settings" }).click();
  await alert.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test.skipIf(noBrowser)("an answer nested too deeply is shown as plain text, also after a reload", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url, { allowErrors: true });
  for (const text of [`${"> ".repeat(3000)}quoted`, `${">".repeat(3000)}bare`, `${"- ".repeat(1500)}listed`]) {
    await sendMessage(page, "Go on");
    await answerWith(voice, text);
    await seeText(() => answersOf(page).last().innerText(), text.slice(-6));
  }
  await page.reload();
  await seeText(() => answersOf(page).last().innerText(), "listed");
  expect(await page.getByText("could not be shown").count()).toBe(0);
  await composerOf(page).waitFor();
});
