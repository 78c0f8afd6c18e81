import { expect, test } from "vitest";
import { noBrowser, seeText } from "./open-page.ts";
import {
  chooseSide,
  editorOf,
  openWorkspacePage,
  sources,
  startWorkspace,
  workspaceOf,
} from "./workspace/start-workspace.ts";

const path = "src/main.tsx";

test.skipIf(noBrowser)("opens the position of a log line each time it is clicked, and only then", async () => {
  const browser = await openWorkspacePage(await startWorkspace({ files: sources }));
  const editor = editorOf(browser, path);
  const isFocused = () => editor.evaluate((element) => element.matches(":focus"));
  const lineOf = () => editor.locator(".cm-activeLine").innerText();
  const press = async () => {
    await chooseSide(browser, "Preview");
    await workspaceOf(browser).getByRole("log").getByRole("button", { name: "main.tsx:5" }).click();
    await seeText(lineOf, "The page is up");
    await expect.poll(isFocused).toBe(true);
  };
  await chooseSide(browser, "Preview");
  await workspaceOf(browser).getByRole("button", { name: "Console and network" }).click();
  await press();
  await editor.press("ControlOrMeta+Home");
  await seeText(lineOf, "createRoot");

  const tabs = workspaceOf(browser).getByRole("list", { name: "Open files" });
  await browser.getByRole("treeitem", { name: "App.tsx", exact: true }).click();
  await editorOf(browser, "src/App.tsx").waitFor();
  await tabs.getByRole("button", { name: "main.tsx", exact: true }).click();
  await seeText(lineOf, "createRoot } from");
  expect(await isFocused()).toBe(false);
  await press();
});
