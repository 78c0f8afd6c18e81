import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { mintId, say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, noBrowser, openPage, rowsOf } from "./open-page.ts";

const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };
const listOf = (page: Page) => page.getByRole("navigation", { name: "Threads", exact: true });
const rowOf = (page: Page, title: string) => rowsOf(page).filter({ hasText: title });
const itemOf = (page: Page, title: string) => listOf(page).getByRole("listitem").filter({ hasText: title });
const titles = (page: Page) => rowsOf(page).evaluateAll((rows) => rows.map((row) => row.innerText.split("\n")[0]));
const undoOf = (page: Page) => page.getByRole("button", { name: "Undo", exact: true });

/** A server with a project and answered threads; the last name is the newest thread. */
async function startThreads(...names: readonly string[]) {
  const instance = await startInstance({ script: () => say("Yes."), env });
  const { client, url } = instance;
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const askIn = async (threadId: string, text: string) => {
    const live = instance.follow(threadId);
    const runs = live.rows.filter(({ event }) => event.type === "run-ended").length;
    await instance.send(threadId, text);
    await live.ended(runs + 1);
    live.close();
  };
  const ids: Record<string, string> = {};
  for (const name of names) {
    const id = (ids[name] = await instance.start({ title: name }));
    await askIn(id, `${name} question`);
  }
  const exists = (name: string) =>
    client.getThread({ params: { threadId: ids[name] ?? "" } }).then(
      () => true,
      () => false,
    );
  const projectOf = async (name: string) =>
    (await client.getThread({ params: { threadId: ids[name] ?? "" } })).thread.projectId;
  return { ...instance, client, url, projectId, ids, exists, projectOf };
}

/** Another tab of the same browser. */
async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function confirmDelete(page: Page, title: string): Promise<void> {
  await rowOf(page, title).focus();
  await page.keyboard.press("Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await rowOf(page, title).waitFor({ state: "detached" });
}

test.skipIf(noBrowser)("groups threads by time, pinned ones first", async () => {
  const { client, url, ids } = await startThreads("Amber", "Basalt");
  await client.changeThread({ params: { threadId: ids["Amber"]! }, body: { id: mintId(), pinned: true } });
  const page = await openPage(url);
  await expect.poll(() => titles(page)).toEqual(["Amber", "Basalt"]);
  expect(await listOf(page).getByRole("heading").allInnerTexts()).toEqual(["Pinned", "Today"]);
  await expect.poll(() => rowOf(page, "Basalt").innerText()).toMatch(/Basalt\s*(just now|\dm ago)\s*Yes\./);
});

test.skipIf(noBrowser)("marks unread threads in every tab until one tab opens them", async () => {
  const { url, ids, follow, send } = await startThreads("Amber", "Basalt");
  const page = await openPage(`${url}/t/${ids["Amber"]}`);
  const other = await openTab(page.context(), url);
  const dot = (tab: Page, title: string) => rowOf(tab, title).getByRole("img", { name: "Unread" }).count();
  await expect.poll(() => dot(page, "Basalt")).toBe(1);
  await expect.poll(() => dot(other, "Amber")).toBe(0);
  await expect.poll(() => dot(other, "Basalt")).toBe(1);
  await rowOf(other, "Basalt").click();
  await answersOf(other).getByText("Yes.").waitFor();
  await expect.poll(() => dot(page, "Basalt")).toBe(0);
  const live = follow(ids["Basalt"]!);
  await rowOf(other, "Amber").click();
  await answersOf(other).getByText("Yes.").waitFor();
  await send(ids["Basalt"]!, "Once more");
  await live.ended(2);
  live.close();
  await expect.poll(() => dot(page, "Basalt")).toBe(1);
  await expect.poll(() => dot(other, "Basalt")).toBe(1);
  expect(await dot(page, "Amber")).toBe(0);
});

test.skipIf(noBrowser)("renames in place on double click", async () => {
  const { url } = await startThreads("Amber");
  const page = await openPage(url);
  await rowOf(page, "Amber").dblclick();
  const field = page.getByRole("textbox", { name: "Thread title" });
  await field.fill("Red amber");
  await field.press("Enter");
  await expect.poll(() => titles(page)).toEqual(["Red amber"]);
});

test.skipIf(noBrowser)("undoes a deletion without loss in any tab or on the server", async () => {
  const { url, ids, exists } = await startThreads("Amber", "Basalt");
  const page = await openPage(`${url}/t/${ids["Amber"]}`);
  const other = await openTab(page.context(), url);
  await expect.poll(() => titles(other)).toEqual(["Basalt", "Amber"]);
  const deletions: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && deletions.push(request.url()));
  await confirmDelete(page, "Amber");
  await expect.poll(() => titles(other)).toEqual(["Basalt"]);
  expect(new URL(page.url()).pathname).toBe("/");
  await undoOf(page).click();
  await expect.poll(() => titles(other)).toEqual(["Basalt", "Amber"]);
  await expect.poll(() => titles(page)).toEqual(["Basalt", "Amber"]);
  await answersOf(page).getByText("Yes.").waitFor();
  expect([deletions, await exists("Amber")]).toEqual([[], true]);

  await confirmDelete(page, "Basalt");
  await page.keyboard.press("Control+z");
  await expect.poll(() => titles(page)).toEqual(["Basalt", "Amber"]);
  expect(deletions).toEqual([]);
});

test.skipIf(noBrowser)("deletes for good when the toast is dismissed or the page is left", async () => {
  const { url, exists } = await startThreads("Amber", "Basalt", "Chalk");
  const page = await openPage(url);
  await confirmDelete(page, "Amber");
  expect(await exists("Amber")).toBe(true);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => exists("Amber")).toBe(false);
  await confirmDelete(page, "Basalt");
  expect(await exists("Basalt")).toBe(true);
  await page.goto("about:blank");
  await expect.poll(() => exists("Basalt")).toBe(false);
  expect(await exists("Chalk")).toBe(true);
});

test.skipIf(noBrowser)("keeps the keyboard focus when a menu closes or a row disappears", async () => {
  const { url } = await startThreads("Amber", "Basalt", "Chalk", "Dolomite");
  const page = await openPage(url);
  await rowOf(page, "Chalk").waitFor();
  const focused = () =>
    page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.innerText.split('\\n')[0]");
  const openMenu = async (title: string) => {
    await itemOf(page, title)
      .getByRole("button", { name: `More for ${title}` })
      .focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
  };
  const choose = async (title: string, item: string) => {
    await openMenu(title);
    await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
  };
  await openMenu("Chalk");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("More for Chalk");
  await choose("Chalk", "Pin");
  await expect.poll(() => titles(page)).toEqual(["Chalk", "Dolomite", "Basalt", "Amber"]);
  await expect.poll(focused).toBe("More for Chalk");
  await choose("Chalk", "Rename");
  await expect.poll(focused).toBe("Thread title");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("Chalk");
  await choose("Basalt", "Delete");
  await page.getByRole("alertdialog").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("Basalt");
  await choose("Basalt", "Archive");
  await expect.poll(focused).toBe("Amber");
  await page.keyboard.press("Delete");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).press("Enter");
  await expect.poll(focused).toBe("Dolomite");
  expect(await titles(page)).toEqual(["Chalk", "Dolomite"]);
});

test.skipIf(noBrowser)("drags a thread into and out of a project, with undo", async () => {
  const { url, projectId, projectOf } = await startThreads("Amber");
  const page = await openPage(url);
  const projects = page.getByRole("navigation", { name: "Projects" });
  const harbour = projects.getByRole("link", { name: "Harbour", exact: true });
  await harbour.waitFor();
  await rowOf(page, "Amber").dragTo(harbour);
  await expect.poll(() => projectOf("Amber")).toBe(projectId);
  await rowOf(page, "Amber").waitFor({ state: "detached" });
  await undoOf(page).click();
  await expect.poll(() => projectOf("Amber")).toBeNull();
  await rowOf(page, "Amber").dragTo(harbour);
  await expect.poll(() => projectOf("Amber")).toBe(projectId);
  await projects.getByRole("button", { name: "Threads in Harbour" }).click();
  await projects.getByRole("link", { name: /Amber/ }).dragTo(listOf(page));
  await expect.poll(() => projectOf("Amber")).toBeNull();
  await rowOf(page, "Amber").waitFor();
});

test.skipIf(noBrowser)("moves a thread into a project by keyboard, through the menu", async () => {
  const { url, projectId, projectOf } = await startThreads("Amber");
  const page = await openPage(url);
  await page
    .getByRole("navigation", { name: "Projects" })
    .getByRole("link", { name: "Harbour", exact: true })
    .waitFor();
  await rowOf(page, "Amber").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const move = page.getByRole("menuitem", { name: "Move to project" });
  await move.focus();
  await page.keyboard.press("Enter");
  const harbour = page.getByRole("menuitem", { name: "Harbour" });
  await harbour.waitFor();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => harbour.evaluate((item) => item.matches(":focus"))).toBe(true);
  await page.keyboard.press("Enter");
  await expect.poll(() => projectOf("Amber")).toBe(projectId);
  await page.getByText("Moved “Amber” to Harbour").waitFor();
});

test.skipIf(noBrowser)("lists archived threads separately, and undoes archiving", async () => {
  const { url } = await startThreads("Amber", "Basalt");
  const page = await openPage(url);
  await itemOf(page, "Basalt").hover();
  await itemOf(page, "Basalt")
    .getByRole("button", { name: /^More for/ })
    .click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await expect.poll(() => titles(page)).toEqual(["Amber"]);
  await page.getByRole("button", { name: "Archived threads" }).click();
  const archive = page.getByRole("navigation", { name: "Archived threads" });
  await archive.getByRole("link", { name: /Basalt/ }).waitFor();
  await undoOf(page).click();
  await archive.getByText("No archived threads.").waitFor();
});

test.skipIf(noBrowser)("the list passes axe on desktop and phone, light and dark", async () => {
  const { url } = await startThreads("Amber", "Basalt");
  const desktop = await openPage(url);
  await confirmDelete(desktop, "Amber");
  await undoOf(desktop).waitFor();
  await checkAccess(desktop, "undo");
  await undoOf(desktop).click();
  await itemOf(desktop, "Amber")
    .getByRole("button", { name: /^More for/ })
    .click();
  await desktop.getByRole("menuitem", { name: "Move to project" }).click();
  await desktop.getByRole("menuitem", { name: "Harbour" }).waitFor();
  await checkAccess(desktop, "menu");

  const viewport = { width: 390, height: 844 };
  const phone = await openPage(url, { viewport, hasTouch: true, isMobile: true });
  await phone.getByRole("button", { name: "Threads", exact: true }).click();
  const drawer = phone.getByRole("dialog", { name: "Threads" });
  await drawer.getByRole("button", { name: "More for Basalt" }).click();
  await phone.getByRole("menuitem", { name: "Delete" }).click();
  await phone.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await drawer.getByRole("button", { name: "Undo" }).waitFor();
  await checkAccess(phone, "drawer");
  await drawer.getByRole("button", { name: "Undo" }).click();
  await drawer.getByRole("link", { name: /Basalt/ }).waitFor();
  expect(await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});
