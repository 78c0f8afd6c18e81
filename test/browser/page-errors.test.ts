import { expect, test } from "vitest";
import { answersOf, composerOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

const settingsChunk = /\/assets\/settings-page-[\w-]+\.js$/;

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
