import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { composerOf, noBrowser, seeText } from "./open-page.ts";
import {
  chooseSide,
  editorOf,
  openWorkspacePage,
  projectId,
  rowOf,
  sources,
  startWorkspace,
  workspaceOf,
} from "./workspace/start-workspace.ts";

const focused = (browser: Page) => () =>
  browser.evaluate<string>(
    'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName ?? ""',
  );
/** Types a name once its field has the focus. */
const type = async (browser: Page, name: string): Promise<void> => {
  await browser.locator("input:not([type=search]):focus").waitFor();
  await browser.keyboard.type(name);
};
const listPaths = async ({ client }: Awaited<ReturnType<typeof startWorkspace>>) =>
  (await client.listFiles({ params: { projectId } })).files.map(({ path }) => path);

test.skipIf(noBrowser)("navigates, opens, creates, renames, deletes and restores files by keyboard", async () => {
  const server = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(server);
  const keys = browser.keyboard;
  await rowOf(browser, "src").waitFor();
  await browser.getByRole("searchbox", { name: "Find a file" }).focus();
  await keys.press("Tab");
  expect(await focused(browser)()).toBe("New file");
  await keys.press("Tab");
  await keys.press("Tab");
  expect(await focused(browser)()).toBe("src");
  await keys.press("ArrowLeft");
  await expect.poll(() => rowOf(browser, "App.tsx").count()).toBe(0);
  await keys.press("ArrowRight");
  await keys.press("ArrowRight");
  expect(await focused(browser)()).toBe("App.tsx");
  await keys.press("m");
  expect(await focused(browser)()).toBe("main.tsx");
  await keys.press("ArrowLeft");
  expect(await focused(browser)()).toBe("src");
  await keys.press("ArrowDown");
  await keys.press("Enter");
  await seeText(() => editorOf(browser, "src/App.tsx").innerText(), "High water");

  await rowOf(browser, "App.tsx").focus();
  await keys.press("F2");
  await type(browser, "Home");
  await keys.press("Enter");
  await rowOf(browser, "Home.tsx").waitFor();
  expect(await listPaths(server)).toContain("src/Home.tsx");
  await seeText(() => editorOf(browser, "src/Home.tsx").innerText(), "High water");

  await rowOf(browser, "Home.tsx").focus();
  await keys.press("Delete");
  await expect.poll(() => rowOf(browser, "Home.tsx").count()).toBe(0);
  const note = workspaceOf(browser).getByRole("status").filter({ hasText: "Deleted src/Home.tsx" });
  await note.getByRole("button", { name: "Undo" }).press("Enter");
  await rowOf(browser, "Home.tsx").waitFor();
  expect(await listPaths(server)).toContain("src/Home.tsx");

  await browser.getByRole("button", { name: "New file" }).press("Enter");
  await type(browser, "notes/tides.md");
  await keys.press("Enter");
  const editor = editorOf(browser, "notes/tides.md");
  await editor.waitFor();
  await editor.press("#");
  await editor.press("ControlOrMeta+s");
  await expect.poll(() => server.read("notes/tides.md")).toBe("#");
  await editor.press("Tab");
  await seeText(() => editor.innerText(), /^ {2}#|^# {2}/);
  await editor.press("Escape");
  await editor.press("Tab");
  expect(await editor.evaluate((one) => one.matches(":focus"))).toBe(false);
});

test.skipIf(noBrowser)("creates a folder, renames it with its files, and deletes it with undo", async () => {
  const server = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(server);
  await browser.getByRole("button", { name: "New folder" }).click();
  await type(browser, "parts");
  await browser.keyboard.press("Enter");
  await rowOf(browser, "parts").focus();
  await browser.keyboard.press("Shift+F10");
  await browser.getByRole("menuitem", { name: "New file" }).press("Enter");
  await type(browser, "tab.tsx");
  await browser.keyboard.press("Enter");
  await editorOf(browser, "parts/tab.tsx").waitFor();
  await rowOf(browser, "parts").focus();
  await browser.keyboard.press("F2");
  await type(browser, "bits");
  await browser.keyboard.press("Enter");
  await editorOf(browser, "bits/tab.tsx").waitFor();
  expect(await listPaths(server)).toEqual(["bits/tab.tsx", "index.html", "src/App.tsx", "src/main.tsx"]);

  await rowOf(browser, "src").click({ button: "right" });
  await browser.getByRole("menuitem", { name: "Delete" }).click();
  await expect.poll(() => rowOf(browser, "src").count()).toBe(0);
  expect(await listPaths(server)).toEqual(["bits/tab.tsx", "index.html"]);
  await workspaceOf(browser).getByRole("button", { name: "Undo" }).click();
  await rowOf(browser, "main.tsx").waitFor();
});

test.skipIf(noBrowser)("finds a file by name and says why a path is rejected", async () => {
  const server = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(server);
  const find = browser.getByRole("searchbox", { name: "Find a file" });
  await find.fill("main");
  await browser
    .getByRole("list", { name: "Matching files" })
    .getByRole("button", { name: /main\.tsx/ })
    .waitFor();
  await find.press("Enter");
  await seeText(() => editorOf(browser, "src/main.tsx").innerText(), "createRoot");
  await find.fill("nowhere");
  await browser.getByText("No matching files.").waitFor();
  await find.press("Escape");
  await browser.getByRole("button", { name: "New file" }).click();
  await type(browser, "../up.ts");
  const rejected = browser.waitForResponse(
    (response) => response.request().method() === "POST" && response.status() >= 400,
  );
  await browser.keyboard.press("Enter");
  await rejected;
  await seeText(() => browser.getByRole("alert").first().innerText(), /\.\./);
  expect(await listPaths(server)).toEqual(["index.html", "src/App.tsx", "src/main.tsx"]);
});

test.skipIf(noBrowser)("resizes the workspace by keyboard and pointer, and keeps the width", async () => {
  const server = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(server);
  const edge = browser.getByRole("separator", { name: "Workspace width" });
  const widthOf = async () => Number(await edge.getAttribute("aria-valuenow"));
  await edge.waitFor();
  const before = await widthOf();
  await edge.press("ArrowRight");
  await expect.poll(widthOf).toBe(before - 24);
  await edge.press("End");
  expect(await widthOf()).toBe(Number(await edge.getAttribute("aria-valuemax")));
  const box = await edge.boundingBox();
  await browser.mouse.move((box?.x ?? 0) + 4, 400);
  await browser.mouse.down();
  await browser.mouse.move((box?.x ?? 0) + 104, 400);
  await browser.mouse.up();
  const after = await widthOf();
  expect(after).toBe(Number(await edge.getAttribute("aria-valuemax")) - 100);
  await browser.reload();
  await edge.waitFor();
  await expect.poll(widthOf).toBe(after);
  expect((await workspaceOf(browser).boundingBox())?.width).toBeGreaterThan(after - 20);

  await browser.getByRole("button", { name: "Workspace", exact: true }).click();
  await expect.poll(() => workspaceOf(browser).count()).toBe(0);
  await browser.reload();
  await composerOf(browser).waitFor();
  await browser.getByRole("button", { name: "Workspace", exact: true }).click();
  await chooseSide(browser, "Preview");
});
