import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { fromBuffer, type ZipFile } from "yauzl";
import type { ModelRequest } from "../../protocol/model.ts";
import { call, say } from "../support/instance.ts";
import { answersOf, composerOf, noBrowser, seeText, sendMessage } from "./open-page.ts";
import {
  app,
  chooseSide,
  frameOf,
  main,
  openWorkspacePage,
  page,
  startWorkspace,
  workspaceOf,
} from "./workspace/start-workspace.ts";

const broken = `import { useState } from "react";

const tides: { high?: { metres: number } } = {};

export default function App() {
  const [metres, setMetres] = useState(0);
  return (
    <main>
      <h1>Tides</h1>
      <button onClick={() => setMetres(tides.high!.metres)}>High water</button>
      <p>{metres} m</p>
    </main>
  );
}
`;
const fixed = "const tides: { high?: { metres: number } } = { high: { metres: 12 } };";

/** Builds a page on request; asked about an error, it reads the console and fixes the error. */
function build({ messages }: ModelRequest) {
  const last = messages.at(-1);
  const asked = messages.findLast(({ role, ...rest }) => role === "user" && /Build|error/.test(JSON.stringify(rest)));
  const isError = JSON.stringify(asked).includes("About this error");
  if (last?.role !== "tool") {
    if (isError) return call({ name: "read_console_logs", input: "{}" });
    const files = { "index.html": page, "src/main.tsx": main, "src/App.tsx": broken };
    return call(
      ...Object.entries(files).map(([path, content], index) => ({
        name: "write_file",
        id: `write-${index}`,
        input: JSON.stringify({ file_path: path, content }),
      })),
    );
  }
  const results = JSON.stringify(messages.slice(-3));
  if (!isError) return say("There is a page of tides now.");
  if (results.includes("edited")) return say("High water is known now.");
  if (!results.includes("reading 'metres'")) return say("The console says nothing.");
  return call({
    name: "replace_lines",
    id: "fix",
    input: JSON.stringify({
      file_path: "src/App.tsx",
      search: "const tides: { high?: { metres: number } } = {};",
      first_replaced_line: 3,
      last_replaced_line: 3,
      replace: fixed,
    }),
  });
}

const press = (browser: Page) => frameOf(browser).getByRole("button", { name: "High water" }).click();
const metresOf = (browser: Page) => () => frameOf(browser).getByText(/ m$/).innerText();

test.skipIf(noBrowser)(
  "builds a page by chat, fixes an error from its console, then undoes, restores and downloads it",
  async () => {
    const server = await startWorkspace({ script: build });
    const browser = await openWorkspacePage(server);
    await workspaceOf(browser).waitFor();
    await chooseSide(browser, "Preview");
    await sendMessage(browser, "Build a page of tides");
    await answersOf(browser).getByText("There is a page of tides now.").waitFor();
    const changed = browser.getByRole("group", { name: "What this answer changed" });
    await changed.waitFor();
    await frameOf(browser).getByRole("heading", { name: "Tides" }).waitFor();

    await press(browser);
    await workspaceOf(browser).getByRole("button", { name: "Console and network" }).click();
    const log = workspaceOf(browser).getByRole("log", { name: "Console" });
    const error = log.getByRole("listitem").filter({ hasText: "reading 'metres'" });
    await error.waitFor();
    await error.getByRole("button", { name: "Ask about this" }).click();
    await seeText(() => composerOf(browser).inputValue(), /About this error[\s\S]*> .*reading 'metres'/);
    expect(await composerOf(browser).evaluate((field) => field.matches(":focus"))).toBe(true);
    // The report may not have reached the server yet; the tool waits for it.
    await composerOf(browser).press("End");
    await composerOf(browser).press("Enter");
    await answersOf(browser).getByText("High water is known now.").waitFor();
    await seeText(async () => {
      await press(browser);
      return metresOf(browser)();
    }, "12 m");

    const fix = answersOf(browser).last().getByRole("group", { name: "Tool replace_lines" });
    await seeText(() => fix.locator("summary").first().innerText(), /Edit src\/App\.tsx, line 3[\s\S]*\+1[\s\S]*−1/);
    await fix.locator("summary").first().click();
    const diff = fix.getByRole("group", { name: "Changes in src/App.tsx" });
    await seeText(
      () => diff.innerText(),
      /3\s*−\s*removed:\s*const tides[\s\S]*3\s*\+\s*added:\s*const tides[\s\S]*metres: 12/,
    );
    await answersOf(browser)
      .last()
      .getByRole("group", { name: "What this answer changed" })
      .getByRole("button", { name: "Undo" })
      .click();
    await fix.getByText("Undone").waitFor();
    expect(await server.read("src/App.tsx")).toBe(broken);

    await chooseSide(browser, "Versions");
    const versions = workspaceOf(browser).getByRole("list", { name: "Versions" });
    await versions.getByRole("button", { name: /^Edited src\/App\.tsx.*Stonechat.*undone/ }).click();
    await workspaceOf(browser).getByRole("button", { name: "Restore this version" }).click();
    await workspaceOf(browser)
      .getByText(/^Restored the version from/)
      .waitFor();
    expect(await server.read("src/App.tsx")).toContain(fixed);
    await chooseSide(browser, "Preview");
    await seeText(async () => {
      await press(browser);
      return metresOf(browser)();
    }, "12 m");

    const saving = browser.waitForEvent("download");
    await workspaceOf(browser).getByRole("link", { name: "Download all files" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("Tides.zip");
    const chunks: Buffer[] = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
    expect(await listZip(Buffer.concat(chunks))).toEqual(["index.html", "src/App.tsx", "src/main.tsx"]);
  },
);

test.skipIf(noBrowser)("shows the files that a run changed and undoes all changes", async () => {
  const server = await startWorkspace({ script: build });
  const browser = await openWorkspacePage(server);
  // Only a workspace that is open follows the answer.
  await workspaceOf(browser).waitFor();
  await sendMessage(browser, "Build a page of tides");
  const changed = browser.getByRole("group", { name: "What this answer changed" });
  await changed.getByRole("button", { name: /What this answer changed 3 changes/ }).click();
  await changed.getByRole("button", { name: /^src\/App\.tsx new/ }).click();
  await seeText(
    () => changed.getByRole("group", { name: "Changes in src/App.tsx" }).innerText(),
    /added:\s*const tides/,
  );
  await frameOf(browser).getByRole("heading", { name: "Tides" }).waitFor();
  await chooseSide(browser, "Files");
  await browser.getByRole("treeitem", { name: "App.tsx", exact: true }).waitFor();
  await changed.getByRole("button", { name: "Undo all" }).click();
  await browser.getByText(/^No files yet/).waitFor();
  expect((await server.client.listFiles({ params: { projectId: "tides" } })).files).toEqual([]);
});

test.skipIf(noBrowser)(
  "shows the files of a version, compares them with now, and undoes and redoes its edit",
  async () => {
    const server = await startWorkspace({ files: { "index.html": page, "src/main.tsx": main, "src/App.tsx": app } });
    await server.write({ "src/App.tsx": app.replace("High water", "Low water") });
    await server.write({ "notes.md": "# Notes\n" });
    const browser = await openWorkspacePage(server);
    await chooseSide(browser, "Versions");
    const workspace = workspaceOf(browser);
    const versions = workspace.getByRole("list", { name: "Versions" });
    await expect.poll(() => versions.getByRole("listitem").count()).toBe(3);
    await versions.getByRole("button", { name: /src\/App\.tsx/ }).click();
    const diff = workspace.getByRole("group", { name: "Changes in src/App.tsx" });
    await seeText(() => diff.innerText(), /removed:\s+<h1>High water[\s\S]*added:\s+<h1>Low water/);

    await workspace.getByRole("button", { name: "Files at this point" }).click();
    await workspace.getByRole("treeitem", { name: "App.tsx", exact: true }).click();
    const past = workspace.getByRole("textbox", { name: "src/App.tsx at this point" });
    await seeText(() => past.innerText(), "Low water");
    expect(await workspace.getByRole("treeitem", { name: "notes.md", exact: true }).count()).toBe(0);
    await past.press("x");
    await seeText(() => past.innerText(), "Low water");
    expect(await past.innerText()).not.toContain("x".repeat(2));
    await workspace.getByRole("button", { name: "Compare with current version" }).click();
    await workspace.getByRole("group", { name: "Changes in notes.md" }).waitFor();

    await workspace.getByRole("button", { name: "Undo this edit" }).click();
    await expect.poll(() => server.read("src/App.tsx")).toBe(app);
    await expect.poll(() => versions.getByRole("listitem").count()).toBe(4);
    await versions.getByRole("button").first().click();
    await workspace.getByRole("button", { name: "Redo this edit" }).click();
    await expect.poll(() => server.read("src/App.tsx")).toContain("Low water");
  },
);

const listZip = (bytes: Buffer): Promise<string[]> =>
  new Promise((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: false }, (error: Error | null, zip?: ZipFile) => {
      if (error || !zip) return reject(error ?? new Error("no archive"));
      const names: string[] = [];
      zip.on("entry", ({ fileName }: { readonly fileName: string }) => names.push(fileName));
      zip.on("end", () => resolve(names.toSorted()));
      zip.on("error", reject);
    }),
  );
