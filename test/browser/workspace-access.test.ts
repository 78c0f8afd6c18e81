import { test } from "vitest";
import { checkAccess, devicesOf } from "./check-access.ts";
import { answersOf, noBrowser, seeText, sendMessage } from "./open-page.ts";
import { call, say } from "../support/instance.ts";
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

const loud = `${sources["src/main.tsx"]}console.warn("No tide table for tomorrow");
void fetch("missing.json");
throw new Error("No water today");
`;
// Without landmarks: those of a framed page count as the page's.
const plain = app.replaceAll("main>", "div>");
const edit = { file_path: "src/App.tsx", search: "      <h1>High water</h1>", replace: "      <h1>Low water</h1>" };

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`cards, editor and file menu are accessible on ${name}`, async () => {
    const isPhone = name === "phone";
    const server = await startWorkspace({
      files: { ...sources, "src/main.tsx": loud, "src/App.tsx": plain },
      script: ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? say("Done.")
          : call(
              { name: "replace_lines", input: JSON.stringify(edit) },
              { name: "read_console_logs", id: "logs", input: "{}" },
            ),
    });
    const browser = await openWorkspacePage(server, options);
    await sendMessage(browser, "Say low water");
    if (isPhone) await browser.getByRole("button", { name: "Send" }).tap();
    await answersOf(browser).getByText("Done.").waitFor();
    const card = answersOf(browser).getByRole("group", { name: "Tool replace_lines" });
    await seeText(() => card.innerText(), /\+1\s*−1/);
    await card.locator("summary").first().click();
    await card.getByRole("group", { name: "Changes in src/App.tsx" }).waitFor();
    await checkAccess(browser, "card");

    await chooseSide(browser, "Files");
    await rowOf(browser, "App.tsx").click();
    const editor = editorOf(browser, "src/App.tsx");
    await seeText(() => editor.innerText(), "Low water");
    await checkAccess(browser, "editor");
    await editor.press("ControlOrMeta+f");
    await browser.getByRole("textbox", { name: "Find", exact: true }).waitFor();
    await checkAccess(browser, "find in a file");
    await browser.keyboard.press("Escape");
    await editor.pressSequentially("// mine ");
    await server.write({ "src/App.tsx": plain.replace("High", "Their") });
    await browser.getByRole("button", { name: "Compare" }).click();
    await browser.getByRole("textbox", { name: "Your version of src/App.tsx" }).waitFor();
    await checkAccess(browser, "conflict");
    await browser.getByRole("button", { name: "Use their version", exact: true }).click();
    if (isPhone) await browser.getByRole("button", { name: "All files" }).click();
    await rowOf(browser, "main.tsx").click({ button: "right" });
    await browser.getByRole("menuitem", { name: "Show versions" }).waitFor();
    await checkAccess(browser, "menu");
    await browser.keyboard.press("Escape");
    await browser.getByRole("button", { name: "New file" }).click();
    await checkAccess(browser, "naming");
  });

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`preview and versions are accessible on ${name}`, async () => {
    const isPhone = name === "phone";
    const server = await startWorkspace({ files: { ...sources, "src/main.tsx": loud, "src/App.tsx": plain } });
    await server.write({ "src/App.tsx": plain.replace("High", "Their") });
    const browser = await openWorkspacePage(server, options);
    await chooseSide(browser, "Preview");
    await frameOf(browser).getByRole("heading", { name: "Their water" }).waitFor();
    await browser.getByRole("button", { name: "Console and network" }).click();
    await workspaceOf(browser).getByText("No water today").first().waitFor();
    await checkAccess(browser, "preview");
    await browser.getByRole("button", { name: /^Network/ }).click();
    await checkAccess(browser, "network");

    await chooseSide(browser, "Versions");
    if (isPhone) await browser.getByRole("list", { name: "Versions" }).getByRole("button").first().click();
    await workspaceOf(browser).getByRole("group", { name: "Changes in src/App.tsx" }).waitFor();
    await checkAccess(browser, "version");
    await browser.getByRole("button", { name: "Files at this point" }).click();
    await rowOf(browser, "App.tsx").click();
    await browser.getByRole("textbox", { name: "src/App.tsx at this point" }).waitFor();
    await checkAccess(browser, "files of a version");

    await browser.goto(`${server.url}/p/${projectId}/files`);
    await workspaceOf(browser).waitFor();
    await checkAccess(browser, "files of the project");
  });
