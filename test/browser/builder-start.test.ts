import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { call, createGate, say, startInstance } from "../support/instance.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";
import { frameOf, workspaceOf } from "./workspace/start-workspace.ts";

const wide = { viewport: { width: 1440, height: 900 } };
const page = "<!doctype html><title>Birds</title><h1>Stonechats</h1>";

/** Writes two files in two steps; the second waits for the gate. */
function startBuilding() {
  const gate = createGate();
  const write = (path: string, content: string) =>
    call({ name: "write_file", id: `write-${path}`, input: JSON.stringify({ file_path: path, content }) });
  const script = async function* ({ messages }: ModelRequest) {
    const results = messages.filter(({ role }) => role === "tool").length;
    if (JSON.stringify(messages.at(-1)).includes("belongs to no project")) return yield* say("I could not write it.");
    if (results === 0) return yield* write("notes.md", "# The notes");
    if (results > 1) return yield* say("The page is done.");
    await gate.passed;
    yield* write("index.html", page);
  };
  return { gate, script };
}

const start = (script: ReturnType<typeof startBuilding>["script"]) =>
  startInstance({ script, env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," } });

const editorOf = (browser: Page, path: string) => browser.getByRole("textbox", { name: `Text of ${path}` });

test.skipIf(noBrowser)(
  "builder creates a project, opens each file as it is written, and then the preview",
  async () => {
    const { gate, script } = startBuilding();
    const { url, client } = await start(script);
    const browser = await openPage(url, wide);
    const samples = browser.getByRole("list", { name: "Suggestions" });
    await samples.getByRole("button", { name: "Explain something" }).waitFor();
    await browser.getByRole("button", { name: "More ways to start" }).click();
    await browser.getByRole("menuitem", { name: "Builder" }).click();
    await samples.getByRole("button", { name: "A game" }).waitFor();
    const place = browser.getByRole("button", { name: /^Files go into a new project/ });
    await place.waitFor();
    await checkAccess(browser, "start page of a builder thread");
    await sendMessage(browser, "Build me a page about stonechats");
    await browser.getByText("Created the project “Page about stonechats” for the files.").waitFor();

    await seeText(() => editorOf(browser, "notes.md").innerText(), "The notes");
    gate.open();
    await answersOf(browser).getByText("The page is done.").waitFor();
    await frameOf(browser).getByRole("heading", { name: "Stonechats" }).waitFor();
    const { projects } = await client.listProjects({ query: {} });
    expect(projects.map(({ name }) => name)).toEqual(["Page about stonechats"]);

    const other = await openPage(browser.url(), wide);
    await frameOf(other).getByRole("heading", { name: "Stonechats" }).waitFor();
    await other.close();
    const workspace = workspaceOf(browser);
    expect(await workspace.getByRole("region", { name: "Logs" }).count()).toBe(0);
    const [tab] = await Promise.all([
      browser.context().waitForEvent("page"),
      workspace.getByRole("link", { name: "Open in a new tab" }).click(),
    ]);
    await frameOf(tab).getByRole("heading", { name: "Stonechats" }).waitFor();
    await tab.close();
    await workspace.getByRole("button", { name: "Full screen" }).click();
    await expect.poll(() => browser.locator(":fullscreen iframe").count()).toBe(1);
  },
);

test.skipIf(noBrowser)("a copy of builder starts like builder: with its ideas and a new project", async () => {
  const { gate, script } = startBuilding();
  const { url, client } = await start(script);
  await client.createProfile({ body: { id: "own-builder", name: "Harbour builder", from: "builder" } });
  const browser = await openPage(url, wide);
  await browser.getByRole("button", { name: /^Model:/ }).click();
  await browser.getByRole("tab", { name: "Profile" }).click();
  await browser.getByRole("option", { name: /Harbour builder/ }).click();
  await browser.getByRole("button", { name: /^Files go into a new project/ }).waitFor();
  await browser.getByRole("list", { name: "Suggestions" }).getByRole("button", { name: "A game" }).waitFor();
  await sendMessage(browser, "Build me a page about stonechats");
  await workspaceOf(browser).waitFor();
  gate.open();
  await answersOf(browser).getByText("The page is done.").waitFor();
  await frameOf(browser).getByRole("heading", { name: "Stonechats" }).waitFor();
  const { threads } = await client.listThreads({});
  expect(threads.map(({ profile, projectId }) => [profile, projectId === null])).toEqual([["own-builder", false]]);
});

test.skipIf(noBrowser)(
  "on a phone, a builder thread leads from the first message to its files and preview",
  async () => {
    const { gate, script } = startBuilding();
    gate.open();
    const { url } = await start(script);
    const browser = await openPage(url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await browser.getByRole("button", { name: "Threads", exact: true }).tap();
    await browser.getByRole("button", { name: "More ways to start" }).tap();
    await browser.getByRole("menuitem", { name: "Builder" }).tap();
    await composerOf(browser).fill("Build me a page about stonechats");
    await browser.getByRole("button", { name: "Send", exact: true }).tap();
    await answersOf(browser).getByText("The page is done.").waitFor();
    const choose = (side: string) =>
      browser.getByRole("group", { name: "View" }).getByRole("button", { name: side }).tap();
    await choose("Files");
    await browser.getByRole("treeitem", { name: "notes.md" }).tap();
    await seeText(() => editorOf(browser, "notes.md").innerText(), "The notes");
    await choose("Preview");
    await frameOf(browser).getByRole("heading", { name: "Stonechats" }).waitFor();
    expect(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  },
);

test.skipIf(noBrowser)("a write without a project says why and offers to choose or create one", async () => {
  const { gate, script } = startBuilding();
  gate.open();
  const { url, client, start: create } = await start(script);
  await client.createProject({ body: { id: "garden", name: "Garden" } });
  const threadId = await create({ profile: "builder" });
  const browser = await openPage(`${url}/t/${threadId}`, wide);
  await browser.getByRole("button", { name: "Add to project" }).click();
  const menu = browser.getByRole("menu");
  await menu.getByRole("menuitemradio", { name: "Garden" }).waitFor();
  await browser.keyboard.press("Escape");
  await expect.poll(() => menu.count()).toBe(0);
  expect(await browser.getByText("All projects").count()).toBe(0);

  await sendMessage(browser, "Build me a page about stonechats");
  await answersOf(browser).getByText("I could not write it.").waitFor();
  await browser.getByText(/files belong to a project, and this thread has none/).waitFor();
  await checkAccess(browser, "thread whose files could not be written");
  await browser.getByRole("button", { name: "Choose or create a project" }).click();
  await menu.getByRole("menuitem", { name: "New project…" }).click();
  await menu.getByRole("textbox", { name: "Project name" }).fill("Bird pages");
  await browser.keyboard.press("Enter");
  await browser.getByRole("link", { name: "Bird pages" }).first().waitFor();
  await expect.poll(() => browser.getByText(/this thread has none/).count()).toBe(0);
  const mended = browser.getByRole("status").filter({ hasText: "The thread has a project now." });
  await mended.getByRole("button", { name: "Retry" }).click();
  await answersOf(browser).getByText("The page is done.").waitFor();
  await expect.poll(() => mended.count()).toBe(0);
  const { projects } = await client.listProjects({ query: {} });
  const made = projects.find(({ name }) => name === "Bird pages");
  expect((await client.getThread({ params: { threadId } })).thread?.projectId).toBe(made?.id);
  expect(await composerOf(browser).isVisible()).toBe(true);
});
