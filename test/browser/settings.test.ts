import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { composerOf, noBrowser, openPage, seeText } from "./open-page.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

test.skipIf(noBrowser)("settings open from the sidebar and by shortcut, and list all shortcuts", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.waitForURL("**/settings/models");
  await expect.poll(() => page.title()).toBe("Settings · Stonechat");
  await page.getByRole("link", { name: "Shortcuts" }).click();
  const keys = page.getByRole("region", { name: "Everywhere" });
  await seeText(() => keys.innerText(), /Ctrl\s*K\s*Open the command palette[\s\S]*Ctrl\s*,\s*Settings/);
  await seeText(
    () => page.getByRole("region", { name: "Message field" }).innerText(),
    /@\s*Mention a tool[\s\S]*\/\s*Insert a saved prompt/,
  );
  await page.keyboard.press("Control+Shift+O");
  await composerOf(page).waitFor();
  await page.keyboard.press("Control+,");
  await page.waitForURL("**/settings/models");
  await page.getByRole("button", { name: "Usage" }).last().click();
  await page.getByRole("dialog", { name: "Usage" }).waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${url}/settings/nowhere`);
  await page.getByText("This settings page doesn't exist.").waitFor();
});

test.skipIf(noBrowser)("appearance applies to every tab and before the first paint", async () => {
  const { url } = await startWithScriptedModel();
  const page = await openPage(`${url}/settings/appearance`, { colorScheme: "light" });
  const other = await page.context().newPage();
  await other.goto(url);
  await composerOf(other).waitFor();
  const size = (tab = page) => tab.evaluate("getComputedStyle(document.documentElement).fontSize");
  const background = (tab = page) => tab.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const before = await background();
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  await page.getByRole("radio", { name: "Larger" }).check({ force: true });
  await page.getByRole("radio", { name: "Compact" }).check({ force: true });
  await page.getByRole("radio", { name: "Reduce motion" }).check({ force: true });
  await expect.poll(() => background()).not.toBe(before);
  await expect.poll(() => size()).toBe("20px");
  await expect.poll(() => size(other)).toBe("20px");
  expect(await background(other)).toBe(await background());
  await other.getByRole("button", { name: /^Theme: dark/ }).waitFor();

  await page.goto(url, { waitUntil: "commit" });
  const look = () => page.evaluate("JSON.stringify({ ...document.documentElement?.dataset })");
  await expect.poll(look).toBe(JSON.stringify({ theme: "dark", text: "larger", motion: "less", density: "compact" }));
  await page.goto(`${url}/settings/appearance`);
  await page.getByRole("radio", { name: "Normal" }).check({ force: true });
  await expect.poll(() => size()).toBe("16px");
});

test.skipIf(noBrowser)("all data can be exported as one file and deleted after typing a confirmation", async () => {
  const { url, client, start } = await startInstance();
  const threadId = await start({ title: "Tides at the coast" });
  const page = await openPage(`${url}/t/${threadId}`);
  await composerOf(page).fill("half a thought");
  await page.goto(`${url}/settings/data`);
  await page.getByRole("navigation", { name: "Threads" }).getByRole("link", { name: /Tides/ }).waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "JSON", exact: true }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await saving).createReadStream()) chunks.push(chunk as Buffer);
  const file = Buffer.concat(chunks).toString();
  expect(JSON.parse(file)).toMatchObject({ format: "stonechat-export" });
  expect(file).toContain("Tides at the coast");

  await page.getByRole("button", { name: "Delete everything…" }).click();
  const dialog = page.getByRole("alertdialog");
  const button = dialog.getByRole("button", { name: "Delete everything" });
  await dialog.getByRole("textbox").fill("delete everythin");
  expect(await button.isDisabled()).toBe(true);
  expect((await client.listThreads({})).threads).toHaveLength(1);
  await dialog.getByRole("textbox").fill("delete everything");
  await button.click();
  await page.getByRole("link", { name: "Start over" }).waitFor();
  expect((await client.listThreads({})).threads).toEqual([]);
  await page.getByRole("link", { name: "Start over" }).click();
  await page.getByText("No threads yet.").waitFor();
  expect(await page.evaluate("JSON.stringify({ ...localStorage })")).not.toContain("half a thought");
});
