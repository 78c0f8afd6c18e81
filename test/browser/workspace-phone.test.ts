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

test.skipIf(noBrowser)("switches between thread, files and preview on a phone", async () => {
  const server = await startWorkspace({
    files: { ...sources, "src/main.tsx": `${sources["src/main.tsx"]}\nthrow new Error("No water today");\n` },
  });
  const browser = await openWorkspacePage(server, phone);
  await composerOf(browser).waitFor();
  expect(await workspaceOf(browser).count()).toBe(0);
  await chooseSide(browser, "Files");
  await rowOf(browser, "App.tsx").tap();
  const editor = editorOf(browser, "src/App.tsx");
  await seeText(() => editor.innerText(), "High water");
  await browser.getByRole("button", { name: "All files" }).tap();
  await rowOf(browser, "main.tsx").waitFor();
  // The thread below is inert.
  expect(await composerOf(browser).evaluate((field) => field.closest("[inert]") !== null)).toBe(true);

  await chooseSide(browser, "Preview");
  await frameOf(browser).getByRole("heading", { name: "High water" }).waitFor();
  await seeText(() => workspaceOf(browser).innerText(), "1 error");
  await browser.getByRole("button", { name: "Console and network" }).tap();
  await browser.getByRole("button", { name: "Ask about this" }).tap();
  await seeText(() => composerOf(browser).inputValue(), "No water today");
  await chooseSide(browser, "Versions");
  await browser.getByRole("list", { name: "Versions" }).getByRole("button").first().tap();
  await browser.getByRole("group", { name: "Changes in src/main.tsx" }).waitFor();
  await browser.getByRole("button", { name: "All versions" }).tap();
  await chooseSide(browser, "Chat");
  await composerOf(browser).waitFor();
  expect(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});

test.skipIf(noBrowser)("shows a conflict in one column on a phone", async () => {
  const server = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(server, phone);
  await chooseSide(browser, "Files");
  await rowOf(browser, "App.tsx").tap();
  const editor = editorOf(browser, "src/App.tsx");
  await seeText(() => editor.innerText(), "High water");
  await editor.press("ControlOrMeta+Home");
  await editor.pressSequentially("// mine\n");
  await server.write({ "src/App.tsx": app.replace("High", "Low") });
  await browser.getByRole("button", { name: "Compare" }).tap();
  const mine = browser.getByRole("textbox", { name: "Your version of src/App.tsx" });
  await seeText(() => mine.innerText(), /\/\/ mine/);
  await browser.getByRole("button", { name: "Use theirs" }).last().dispatchEvent("mousedown");
  await seeText(() => mine.innerText(), /\/\/ mine[\s\S]*Low water/);
  await browser.getByRole("button", { name: "Save this version" }).tap();
  await expect.poll(() => server.read("src/App.tsx")).toBe(`// mine\n${app.replace("High", "Low")}`);
});
