import { expect, test } from "vitest";
import { noBrowser, seeText } from "./open-page.ts";
import {
  app,
  chooseSide,
  editorOf,
  frameOf,
  openWorkspacePage,
  projectId,
  rowOf,
  sources,
  startWorkspace,
  workspaceOf,
} from "./workspace/start-workspace.ts";

const path = "src/App.tsx";

async function openFile(urlPath?: string) {
  const server = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(server);
  if (urlPath !== undefined) await browser.goto(`${server.url}${urlPath}`);
  await rowOf(browser, "App.tsx").click();
  const editor = editorOf(browser, path);
  await seeText(() => editor.innerText(), "High water");
  const status = workspaceOf(browser)
    .getByRole("status")
    .filter({ hasText: /Saved|Save|Saving|elsewhere|Not saved/ });
  /** Types at the start of the file. */
  const type = async (text: string) => {
    await editor.press("ControlOrMeta+Home");
    await editor.pressSequentially(text);
  };
  return { server, browser, editor, status, type };
}

test.skipIf(noBrowser)("saves with the shortcut and on blur, updates the preview, and highlights syntax", async () => {
  const { server, browser, editor, status, type } = await openFile();
  await expect
    .poll(() =>
      editor
        .locator("span")
        .filter({ hasText: /^export$/ })
        .count(),
    )
    .toBe(1);
  await type("/* one */ ");
  await workspaceOf(browser).getByText("unsaved").waitFor();
  expect(await server.read(path)).toBe(app);
  await editor.press("ControlOrMeta+s");
  await seeText(() => status.innerText(), "Saved");
  expect(await server.read(path)).toBe(`/* one */ ${app}`);
  await type("/* two */ ");
  await browser.getByRole("textbox", { name: "Message", exact: true }).focus();
  await expect.poll(() => server.read(path)).toBe(`/* two */ /* one */ ${app}`);

  await chooseSide(browser, "Preview");
  await frameOf(browser).getByRole("heading", { name: "High water" }).waitFor();
  await server.write({ [path]: app.replace("High water", "Low water") });
  await frameOf(browser).getByRole("heading", { name: "Low water" }).waitFor();
  await chooseSide(browser, "Files");
  await seeText(() => editor.innerText(), "Low water");
});

test.skipIf(noBrowser)("applies changes from elsewhere and keeps the cursor if nothing is unsaved", async () => {
  const { server, browser, editor } = await openFile();
  await editor.press("ControlOrMeta+End");
  await server.write({ [path]: `// theirs\n${app}`, "src/tides.ts": "export const tides = 1;\n" });
  await seeText(() => editor.innerText(), "// theirs");
  await rowOf(browser, "tides.ts").waitFor();
  await editor.pressSequentially("// mine");
  await editor.press("ControlOrMeta+s");
  await expect.poll(() => server.read(path)).toBe(`// theirs\n${app}// mine`);
});

test.skipIf(noBrowser)("shows both versions after a conflict and saves what the user chooses", async () => {
  const { server, browser, editor, status, type } = await openFile(`/p/${projectId}/files`);
  await type("// mine\n");
  await server.write({ [path]: app.replace("High water", "Their water") });
  await seeText(() => status.innerText(), /Changed elsewhere/);
  expect(await editor.innerText()).toContain("// mine");
  await editor.press("ControlOrMeta+s");

  const both = workspaceOf(browser).getByRole("group", { name: "Conflicting changes" });
  await both.waitFor();
  await seeText(() => browser.getByRole("textbox", { name: `Their version of ${path}` }).innerText(), "Their water");
  const mine = browser.getByRole("textbox", { name: `Your version of ${path}` });
  expect(await mine.innerText()).toContain("// mine");
  expect(await server.read(path)).not.toContain("// mine");
  // Uses their heading and keeps my line.
  await workspaceOf(browser).getByRole("button", { name: "Use theirs" }).last().click();
  await seeText(() => mine.innerText(), /\/\/ mine[\s\S]*Their water/);
  await both.getByRole("button", { name: "Save this version" }).click();
  await seeText(() => status.innerText(), "Saved");
  expect(await server.read(path)).toBe(`// mine\n${app.replace("High water", "Their water")}`);

  await type("// again\n");
  await server.write({ [path]: app });
  await seeText(() => status.innerText(), /Changed elsewhere/);
  await status.getByRole("button", { name: "Compare" }).click();
  await both.getByRole("button", { name: "Use their version" }).click();
  await seeText(() => editor.innerText(), "High water");
  expect(await editor.innerText()).not.toContain("// again");
  expect(await server.read(path)).toBe(app);
});

test.skipIf(noBrowser)("restores open files and unsaved edits after a reload", async () => {
  const { server, browser, editor, type } = await openFile();
  await rowOf(browser, "main.tsx").click();
  await rowOf(browser, "App.tsx").click();
  await type("// draft ");
  // Leaving the editor would save: fail that request, as if the server were down.
  await browser.route("**/api/projects/*/files", (route) =>
    route.request().method() === "POST" ? route.abort() : route.fallback(),
  );
  await browser.reload();
  await seeText(() => editor.innerText(), "// draft");
  const tabs = workspaceOf(browser).getByRole("list", { name: "Open files" });
  expect(await tabs.getByRole("button", { name: /^(App|main)\.tsx/ }).allInnerTexts()).toEqual([
    "App.tsx\nunsaved",
    "main.tsx",
  ]);
  expect(await server.read(path)).toBe(app);
  await browser.unroute("**/api/projects/*/files");
  await editor.press("ControlOrMeta+s");
  await expect.poll(() => server.read(path)).toBe(`// draft ${app}`);
  await tabs.getByRole("button", { name: "Close main.tsx" }).click();
  await expect.poll(() => tabs.getByRole("listitem").count()).toBe(1);
});

test.skipIf(noBrowser)("saves a file again that was deleted during editing", async () => {
  const { server, browser, status, type } = await openFile();
  await type("// mine ");
  await server.write({ [path]: null });
  await seeText(() => status.innerText(), /Deleted elsewhere/);
  await status.getByRole("button", { name: "Compare" }).click();
  await browser.getByRole("button", { name: "Save anyway" }).click();
  await expect.poll(() => server.read(path)).toBe(`// mine ${app}`);
  await seeText(() => status.innerText(), "Saved");
});
