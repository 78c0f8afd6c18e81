import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { mintId, say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, rowsOf, sendMessage } from "./open-page.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const longName = "Kitchen renovation 2027 with a rather long name that goes on and on";

const startServer = () =>
  startInstance({
    script: () => say("Yes."),
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });

const sidebarOf = (page: Page) => page.getByRole("complementary", { name: "Sidebar" });
const widthOf = async (page: Page) => Math.round((await sidebarOf(page).boundingBox())?.width ?? 0);
const isFocused = (page: Page) => composerOf(page).evaluate((field) => field.matches(":focus"));

test.skipIf(noBrowser)("keeps long project names within the sidebar when the focus moves through it", async () => {
  const { url, client, start } = await startServer();
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: longName } });
  await client.createProject({ body: { id: mintId("project"), name: "Garden" } });
  await start({ projectId, title: `${longName} thread` });
  const page = await openPage(url);
  const projects = page.getByRole("navigation", { name: "Projects" });
  await projects.getByRole("button", { name: `Threads in ${longName}` }).click();
  await projects.getByRole("link", { name: `${longName} thread` }).waitFor();
  const links = await projects.locator("a, button").all();
  for (const link of links) {
    await link.focus();
    const fits = await projects.evaluate((nav) => nav.scrollLeft === 0 && nav.scrollWidth <= nav.clientWidth);
    expect(fits).toBe(true);
  }
  await projects.getByRole("link", { name: "Garden", exact: true }).waitFor();
});

test.skipIf(noBrowser)("hides, shows and resizes the sidebar, and remembers it", async () => {
  const { url } = await startServer();
  const page = await openPage(url);
  const usual = await widthOf(page);
  const edge = page.getByRole("separator", { name: "Sidebar width" });
  await edge.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => widthOf(page)).toBe(usual + 24);
  const box = await edge.boundingBox();
  if (!box) throw new Error("the handle has no box");
  await page.mouse.move(box.x + box.width / 2, 300);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 60, 300, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => widthOf(page)).toBe(usual - 36);
  await page.reload();
  await expect.poll(() => widthOf(page)).toBe(usual - 36);
  for (const name of ["Command palette", "Archived threads", "Memory", "Usage", "Settings"])
    expect(await sidebarOf(page).locator(`footer [title^="${name}"]`).innerText()).not.toBe("");
  await edge.dblclick();
  await expect.poll(() => widthOf(page)).toBe(usual);

  await page.getByRole("button", { name: "Hide sidebar" }).click();
  const show = page.getByRole("button", { name: "Show sidebar" });
  await expect.poll(() => show.evaluate((button) => button.matches(":focus"))).toBe(true);
  expect(await sidebarOf(page).count()).toBe(0);
  await checkAccess(page, "start page without its sidebar");
  await page.goto(`${url}/settings/models`);
  await page.getByRole("link", { name: "New thread" }).click();
  await composerOf(page).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  await page.reload();
  await show.waitFor();
  expect(await sidebarOf(page).count()).toBe(0);
  await page.keyboard.press("Control+Shift+F");
  await expect
    .poll(() =>
      sidebarOf(page)
        .getByRole("textbox")
        .evaluate((field) => field.matches(":focus")),
    )
    .toBe(true);
  await page.keyboard.press("Control+b");
  await show.click();
  await sidebarOf(page).waitFor();

  await page.setViewportSize({ width: 390, height: 780 });
  await page.getByRole("button", { name: "Threads", exact: true }).click();
  const drawer = page.getByRole("dialog", { name: "Threads" });
  await drawer.getByRole("button", { name: "Memory" }).waitFor();
  expect(await drawer.getByRole("button", { name: "Hide sidebar" }).count()).toBe(0);
});

test.skipIf(noBrowser)(
  "says that an answer is being written, finds the open thread, and focuses a new one",
  async () => {
    const { voice, url } = await startWithScriptedModel();
    const page = await openPage(url);
    await sendMessage(page, "Plan the kitchen");
    const call = await voice.next();
    await page.getByText("Waiting for Scripted…").waitFor();
    call.say("First the floor");
    await answersOf(page).getByText("First the floor").waitFor();
    await rowsOf(page).getByText("Writing…").waitFor();
    await expect.poll(() => page.getByText("Waiting for Scripted…").count()).toBe(0);
    call.finish();
    await rowsOf(page).getByText("First the floor").waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("kitchen");
    await page.getByRole("option", { name: "Plan the kitchen (this thread)" }).waitFor();
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+Shift+O");
    await expect.poll(() => isFocused(page)).toBe(true);
    await page.getByRole("region", { name: "Start" }).click({ position: { x: 5, y: 5 } });
    await expect.poll(() => isFocused(page)).toBe(false);
    await page.keyboard.press("Control+Shift+O");
    await expect.poll(() => isFocused(page)).toBe(true);
  },
);
