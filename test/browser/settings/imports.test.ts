import { expect, test } from "vitest";
import { listExports } from "../../support/chat-exports.ts";
import { startInstance } from "../../support/instance.ts";
import { checkAccess, devices } from "../check-access.ts";
import { noBrowser, openPage } from "../open-page.ts";

const claude = "Claude, zip with projects and memories";

for (const [name, options] of devices)
  test.skipIf(noBrowser)(`a file is imported by keyboard, reported with links, and accessible on ${name}`, async () => {
    const exports = await listExports();
    const { url, client } = await startInstance();
    const page = await openPage(`${url}/settings/data`, options);
    await page.getByRole("heading", { name: "Import", exact: true }).waitFor();
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Import…" }).focus();
    await page.keyboard.press("Enter");
    await (
      await choosing
    ).setFiles({
      name: "claude.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(exports[claude]?.content ?? ""),
    });
    const row = page.getByRole("list", { name: "Imports", exact: true }).getByRole("listitem").first();
    await row.getByText("Done").waitFor();
    await row.getByText(/Claude · 1 thread · 5 messages · 1 project · \d+ notes/).waitFor();
    await row.getByRole("button", { name: "Show report" }).press("Enter");
    const report = page.getByRole("list", { name: "Report of claude.zip" });
    await report.getByRole("link", { name: "Slate roofs" }).waitFor();
    await checkAccess(page, "import report");
    if (process.env["SHOTS"] !== undefined)
      await page.screenshot({ path: `${process.env["SHOTS"]}-${name}.png`, fullPage: true });

    await report.getByRole("button", { name: "Add to memory" }).first().press("Enter");
    await report.getByText("Added to memory").waitFor();
    await report.getByRole("button", { name: "Don't add" }).press("Enter");
    await report.getByText("Not added to memory").waitFor();
    expect((await client.getMemory({})).memory.notes?.value).toBe("Lives under a slate roof.");

    await report.getByRole("link", { name: "Slate roofs" }).click();
    await page.locator("p", { hasText: "About a century." }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Remove import claude.zip" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect.poll(async () => (await client.listImports({})).imports).toEqual([]);
    expect((await client.listThreads({})).threads).toHaveLength(1);
  });

test.skipIf(noBrowser)("a dropped file is imported, and one that cannot be read says why", async () => {
  const { url, client } = await startInstance();
  const page = await openPage(`${url}/settings/data`, { allowErrors: true });
  await page.getByRole("heading", { name: "Import", exact: true }).waitFor();
  const drop = (name: string, content: string) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
      for (const type of ["dragover", "drop"])
        window.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
  await drop("talk.json", JSON.stringify([{ role: "user", content: "dropped question" }]));
  const list = page.getByRole("list", { name: "Imports", exact: true });
  await list.getByText("Done").waitFor();
  expect((await client.listThreads({})).threads).toMatchObject([{ title: "talk" }]);
  await page.getByRole("navigation", { name: "Threads" }).getByRole("link", { name: "talk" }).waitFor();
  await drop("broken.bin", "\0\0\0");
  await list.getByText("The file is neither an archive (ZIP) nor text, so it cannot be imported.").waitFor();
  await drop("empty.json", "");
  await page.getByRole("alert").getByText("The file is empty.").waitFor();
});
