import { expect, test } from "vitest";
import { composerOf, noBrowser, seeText } from "./open-page.ts";
import {
  app,
  chooseSide,
  editorOf,
  frameOf,
  openWorkspacePage,
  rowOf,
  sources,
  startWorkspace,
  workspaceOf,
} from "./workspace/start-workspace.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test.skipIf(noBrowser)("on a phone one switches between the thread, the files and what runs", async () => {
  const house = await startWorkspace({
    files: { ...sources, "src/main.tsx": `${sources["src/main.tsx"]}\nthrow new Error("No water today");\n` },
  });
  const browser = await openWorkspacePage(house, phone);
  await composerOf(browser).waitFor();
  expect(await workspaceOf(browser).count()).toBe(0);
  await chooseSide(browser, "Files");
  await rowOf(browser, "App.tsx").tap();
  const editor = editorOf(browser, "src/App.tsx");
  await seeText(() => editor.innerText(), "High water");
  await browser.getByRole("button", { name: "All files" }).tap();
  await rowOf(browser, "main.tsx").waitFor();
  // What lies below takes part in nothing.
  expect(await composerOf(browser).evaluate((field) => field.closest("[inert]") !== null)).toBe(true);

  await chooseSide(browser, "Preview");
  await frameOf(browser).getByRole("heading", { name: "High water" }).waitFor();
  await seeText(() => workspaceOf(browser).innerText(), "1 error");
  await browser.getByRole("button", { name: "Console and network" }).tap();
  await browser.getByRole("button", { name: "Ask about this" }).tap();
  await seeText(() => composerOf(browser).inputValue(), "No water today");
  await chooseSide(browser, "Versions");
  await browser.getByRole("list", { name: "Versions" }).getByRole("button").first().tap();
  await browser.getByRole("group", { name: "What changed in src/main.tsx" }).waitFor();
  await browser.getByRole("button", { name: "All versions" }).tap();
  await chooseSide(browser, "Chat");
  await composerOf(browser).waitFor();
  expect(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});

test.skipIf(noBrowser)("on a phone a stale save is told in one column", async () => {
  const house = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(house, phone);
  await chooseSide(browser, "Files");
  await rowOf(browser, "App.tsx").tap();
  const editor = editorOf(browser, "src/App.tsx");
  await seeText(() => editor.innerText(), "High water");
  await editor.press("ControlOrMeta+Home");
  await editor.pressSequentially("// mine\n");
  await house.write({ "src/App.tsx": app.replace("High", "Low") });
  await browser.getByRole("button", { name: "Compare" }).tap();
  const mine = browser.getByRole("textbox", { name: "Your text of src/App.tsx" });
  await seeText(() => mine.innerText(), /\/\/ mine/);
  await browser.getByRole("button", { name: "Take theirs here" }).last().dispatchEvent("mousedown");
  await seeText(() => mine.innerText(), /\/\/ mine[\s\S]*Low water/);
  await browser.getByRole("button", { name: "Save what stands here" }).tap();
  await expect.poll(() => house.read("src/App.tsx")).toBe(`// mine\n${app.replace("High", "Low")}`);
});
