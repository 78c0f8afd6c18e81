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

async function openFile(where?: string) {
  const house = await startWorkspace({ files: sources });
  const browser = await openWorkspacePage(house);
  if (where !== undefined) await browser.goto(`${house.url}${where}`);
  await rowOf(browser, "App.tsx").click();
  const editor = editorOf(browser, path);
  await seeText(() => editor.innerText(), "High water");
  const status = workspaceOf(browser)
    .getByRole("status")
    .filter({ hasText: /Saved|Save|Saving|meanwhile|Not saved/ });
  /** Puts the cursor before everything and writes there. */
  const type = async (text: string) => {
    await editor.press("ControlOrMeta+Home");
    await editor.pressSequentially(text);
  };
  return { house, browser, editor, status, type };
}

test.skipIf(noBrowser)(
  "what is written is saved by its key and by leaving, runs at once, and keeps its colours",
  async () => {
    const { house, browser, editor, status, type } = await openFile();
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
    expect(await house.read(path)).toBe(app);
    await editor.press("ControlOrMeta+s");
    await seeText(() => status.innerText(), "Saved");
    expect(await house.read(path)).toBe(`/* one */ ${app}`);
    await type("/* two */ ");
    await browser.getByRole("textbox", { name: "Message", exact: true }).focus();
    await expect.poll(() => house.read(path)).toBe(`/* two */ /* one */ ${app}`);

    await chooseSide(browser, "Preview");
    await frameOf(browser).getByRole("heading", { name: "High water" }).waitFor();
    await house.write({ [path]: app.replace("High water", "Low water") });
    await frameOf(browser).getByRole("heading", { name: "Low water" }).waitFor();
    await chooseSide(browser, "Files");
    await seeText(() => editor.innerText(), "Low water");
  },
);

test.skipIf(noBrowser)(
  "what others write comes in where nothing is unsaved, with the cursor where it was",
  async () => {
    const { house, browser, editor } = await openFile();
    await editor.press("ControlOrMeta+End");
    await house.write({ [path]: `// theirs\n${app}`, "src/tides.ts": "export const tides = 1;\n" });
    await seeText(() => editor.innerText(), "// theirs");
    await rowOf(browser, "tides.ts").waitFor();
    await editor.pressSequentially("// mine");
    await editor.press("ControlOrMeta+s");
    await expect.poll(() => house.read(path)).toBe(`// theirs\n${app}// mine`);
  },
);

test.skipIf(noBrowser)(
  "a stale save loses nobody's words: both are shown, and the person says what stands",
  async () => {
    const { house, browser, editor, status, type } = await openFile(`/p/${projectId}/files`);
    await type("// mine\n");
    await house.write({ [path]: app.replace("High water", "Their water") });
    await seeText(() => status.innerText(), /Changed meanwhile/);
    expect(await editor.innerText()).toContain("// mine");
    await editor.press("ControlOrMeta+s");

    const both = workspaceOf(browser).getByRole("group", { name: "Two texts for one file" });
    await both.waitFor();
    await seeText(() => browser.getByRole("textbox", { name: `Their text of ${path}` }).innerText(), "Their water");
    const mine = browser.getByRole("textbox", { name: `Your text of ${path}` });
    expect(await mine.innerText()).toContain("// mine");
    expect(await house.read(path)).not.toContain("// mine");
    // The difference in the heading is taken from theirs, the line of mine stays.
    await workspaceOf(browser).getByRole("button", { name: "Take this from theirs" }).last().click();
    await seeText(() => mine.innerText(), /\/\/ mine[\s\S]*Their water/);
    await both.getByRole("button", { name: "Save what stands here" }).click();
    await seeText(() => status.innerText(), "Saved");
    expect(await house.read(path)).toBe(`// mine\n${app.replace("High water", "Their water")}`);

    await type("// again\n");
    await house.write({ [path]: app });
    await seeText(() => status.innerText(), /Changed meanwhile/);
    await status.getByRole("button", { name: "Compare" }).click();
    await both.getByRole("button", { name: "Take theirs" }).click();
    await seeText(() => editor.innerText(), "High water");
    expect(await editor.innerText()).not.toContain("// again");
    expect(await house.read(path)).toBe(app);
  },
);

test.skipIf(noBrowser)("open files and unsaved words outlive the page", async () => {
  const { house, browser, editor, type } = await openFile();
  await rowOf(browser, "main.tsx").click();
  await rowOf(browser, "App.tsx").click();
  await type("// kept ");
  // A save would come with leaving the text: it is refused here, as by a server that is away.
  await browser.route("**/api/projects/*/files", (route) =>
    route.request().method() === "POST" ? route.abort() : route.fallback(),
  );
  await browser.reload();
  await seeText(() => editor.innerText(), "// kept");
  const tabs = workspaceOf(browser).getByRole("list", { name: "Open files" });
  expect(await tabs.getByRole("button", { name: /^(App|main)\.tsx/ }).allInnerTexts()).toEqual([
    "App.tsx\nunsaved",
    "main.tsx",
  ]);
  expect(await house.read(path)).toBe(app);
  await browser.unroute("**/api/projects/*/files");
  await editor.press("ControlOrMeta+s");
  await expect.poll(() => house.read(path)).toBe(`// kept ${app}`);
  await tabs.getByRole("button", { name: "Close main.tsx" }).click();
  await expect.poll(() => tabs.getByRole("listitem").count()).toBe(1);
});

test.skipIf(noBrowser)("a file that is deleted under unsaved words can be written again", async () => {
  const { house, browser, status, type } = await openFile();
  await type("// mine ");
  await house.write({ [path]: null });
  await seeText(() => status.innerText(), /Deleted meanwhile/);
  await status.getByRole("button", { name: "Compare" }).click();
  await browser.getByRole("button", { name: "Write it again" }).click();
  await expect.poll(() => house.read(path)).toBe(`// mine ${app}`);
  await seeText(() => status.innerText(), "Saved");
});
