import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { noBrowser, openPage } from "../open-page.ts";
import { startProject } from "./start-project.ts";

const docx = join(import.meta.dirname, "../../files/made/minutes.lo.docx");

/** Drops files on the page, as from a file manager. */
const drop = (page: Page, files: readonly { readonly name: string; readonly base64: string }[]): Promise<void> =>
  page.locator("body").evaluate((body, given) => {
    const { DataTransfer, DragEvent, File } = body.ownerDocument.defaultView;
    const dataTransfer = new DataTransfer();
    for (const { name, base64 } of given)
      dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
    for (const type of ["dragover", "drop"])
      body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }, files);

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

test.skipIf(noBrowser)("files dropped on the overview become documents, and unreadable ones say why", async () => {
  const { toUrl, read } = await startProject();
  const page = await openPage(toUrl(), { allowErrors: true });
  await page.getByRole("heading", { name: "Harbour" }).waitFor();
  await drop(page, [
    { name: "minutes.docx", base64: readFileSync(docx).toString("base64") },
    { name: "backup.gz", base64: Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]).toString("base64") },
    { name: "notes.md", base64: toBase64("# Notes\n\nThe mole stands.") },
  ]);
  const list = page.getByRole("region", { name: "Added files" });
  await list.getByText("2 files added").waitFor();
  await list.getByRole("alert").getByText("compressed").waitFor();
  expect((await read("document")).map(({ title }) => title)).toEqual(["minutes.docx", "notes.md"]);
  await list.getByRole("link", { name: "minutes.docx" }).click();
  await page.getByText("Minutes of the board").first().waitFor();
  await list.getByRole("button", { name: "Dismiss" }).click();
  await list.waitFor({ state: "detached" });
});

test.skipIf(noBrowser)("Add files puts a text file among the project's files", async () => {
  const { toUrl, client, projectId } = await startProject();
  const page = await openPage(toUrl("files"), { viewport: { width: 390, height: 844 } });
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add files" }).click();
  const csv = { name: "tides.csv", mimeType: "text/csv", buffer: Buffer.from("hour,level\n6,2.4\n") };
  await (await chosen).setFiles([csv]);
  await page.getByRole("region", { name: "Added files" }).getByText("1 file added").waitFor();
  await page.getByRole("treeitem", { name: "tides.csv" }).waitFor();
  const file = await client.getFile({ params: { projectId }, query: { path: "tides.csv" } });
  expect(file.text).toBe("hour,level\n6,2.4\n");
});
