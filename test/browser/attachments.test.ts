import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { toPng } from "../support/attachments/files.ts";
import { startInstance } from "../support/instance.ts";
import { toPdf } from "../support/web/pdf.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";

const offline = { env: { STONECHAT_MODEL: "offline/stone" } };
const made = join(import.meta.dirname, "../files/made");
const folder = mkdtempSync(join(tmpdir(), "attached-"));
const write = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const notes = write("notes.md", "# Quarry\n\nThe quarry in Larvik sells larvikite.");
const report = write("report.pdf", toPdf("Marble is metamorphic"));
const photo = write("photo.png", toPng(320, 200));
const archive = write("things.zip", Buffer.from("PK\x03\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"));

const trayOf = (page: Page) => page.getByRole("list", { name: "Attached files" }).getByRole("listitem");
const pick = (page: Page, paths: readonly string[]) => page.locator("input[data-attach]").setInputFiles([...paths]);
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });

type TransferredFile = { readonly name: string; readonly type: string; readonly base64: string };

/** Simulates a paste or drop; resolves to whether the page handled it. */
const carry = (page: Page, event: "paste" | "drop", files: readonly TransferredFile[], words = ""): Promise<boolean> =>
  page.evaluate(`((given, words) => {
    const carried = new DataTransfer();
    if (words !== "") carried.setData("text/plain", words);
    for (const { name, type, base64 } of given) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      carried.items.add(new File([bytes], name, { type }));
    }
    const init = { bubbles: true, cancelable: true };
    if (${event === "paste"}) {
      const pasting = new ClipboardEvent("paste", { ...init, clipboardData: carried });
      return !document.querySelector("#message").dispatchEvent(pasting);
    }
    const target = document.querySelector("main") ?? document.body;
    const [, isLeft] = ["dragover", "drop"].map((type) =>
      target.dispatchEvent(new DragEvent(type, { ...init, dataTransfer: carried })),
    );
    return !isLeft;
  })(${JSON.stringify(files)}, ${JSON.stringify(words)})`);

describe.skipIf(noBrowser)("files on the page", () => {
  test("picked, they go with the first message, are drawn in it, and open", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url);
    await pick(page, [notes, report, photo]);
    await expect.poll(() => trayOf(page).count()).toBe(3);
    await seeText(() => trayOf(page).nth(0).innerText(), /notes\.md\s+\d+ B/);
    await seeText(() => trayOf(page).nth(2).innerText(), /does not accept images: this one will not be sent/);
    expect(await trayOf(page).getByRole("status").count()).toBe(1);
    await checkAccess(page, "picture for a model without vision");
    await expect.poll(() => send(page).isEnabled()).toBe(true);
    await composerOf(page).fill("Which quarry sells larvikite?");
    await composerOf(page).press("Enter");
    await seeText(() => answersOf(page).last().innerText(), "I cannot see pictures");
    await seeText(() => answersOf(page).last().innerText(), "The quarry in Larvik sells larvikite.");
    expect(await trayOf(page).count()).toBe(0);

    const question = questionsOf(page).first();
    await question.getByRole("img", { name: "photo.png" }).waitFor();
    const drawn = `document.querySelector('article img[alt="photo.png"]')?.naturalWidth`;
    await expect.poll(() => page.evaluate(drawn)).toBe(320);
    await question.getByRole("button", { name: "Enlarge photo.png" }).click();
    const large = page.getByRole("dialog", { name: "photo.png" });
    await large.waitFor();
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "detached" });
    await question.getByRole("button", { name: "Open report.pdf" }).click();
    await page.getByRole("img", { name: "Page 1" }).waitFor();
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.getByText("Marble is metamorphic").waitFor();
  });

  test("pasted and dropped files stay with the draft after a reload and can be removed", async () => {
    const { url, client } = await startInstance(offline);
    const page = await openPage(url);
    await composerOf(page).waitFor();
    const base64 = toPng(20, 20).toString("base64");
    await carry(page, "paste", [{ name: "pasted.png", type: "image/png", base64 }]);
    await carry(page, "drop", [{ name: "dropped.txt", type: "text/plain", base64: btoa("dropped words") }]);
    const isWaiting = async () => (await client.listAttachments({})).attachments.map(({ name }) => name).toSorted();
    await expect.poll(isWaiting).toEqual(["dropped.txt", "pasted.png"]);
    await page.reload();
    await expect.poll(() => trayOf(page).count()).toBe(2);
    await page.getByRole("button", { name: "Remove dropped.txt" }).click();
    await expect.poll(isWaiting).toEqual(["pasted.png"]);
    await send(page).click();
    await seeText(() => answersOf(page).last().innerText(), "I cannot see pictures");
    expect(await isWaiting()).toEqual([]);
  });

  test("files count in the estimate and are shown in the preview", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url);
    await pick(page, [photo]);
    const estimate = async () => (await page.locator("#message-estimate").allTextContents()).join();
    await seeText(estimate, "This message has about 126 tokens.");
    await composerOf(page).fill("What is on it?");
    await seeText(estimate, "This message has about 130 tokens.");
    await send(page).click();
    await seeText(() => answersOf(page).last().innerText(), "I cannot see pictures");
    await pick(page, [notes]);
    await seeText(estimate, /\d of them for this message\. Cost without the answer: free/);
    await page.getByRole("button", { name: "Preview what the model would see" }).click();
    const panel = page.getByRole("complementary", { name: "What the model would see" });
    await seeText(() => panel.innerText(), /Not sent yet\s+notes\.md/);
    await panel.getByText("[The user attached a file: notes.md, 47 bytes, stored under ref 1.").first().waitFor();
    await expect.poll(() => trayOf(page).count()).toBe(1);
  });

  test("the share of a long text is the same before and after it is sent", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url);
    const rows = Array.from({ length: 2000 }, (_, n) => `${n},${(n * 7919) % 100_003},${(n * 31) % 997}`);
    await pick(page, [write("data.csv", ["id,value,weight", ...rows].join("\n")), notes]);
    await seeText(() => trayOf(page).nth(0).innerText(), /about \d+% is sent/);
    const [, before] = /about (\d+)% is sent/.exec(await trayOf(page).nth(0).innerText()) ?? [];
    expect(await trayOf(page).nth(1).innerText()).not.toContain("% is sent");
    await page.reload();
    await seeText(() => trayOf(page).nth(0).innerText(), `about ${before}% is sent`);
    await composerOf(page).fill("Sum the values.");
    await send(page).click();
    await seeText(() => questionsOf(page).first().innerText(), `${before}% in the prompt`);
  });

  test("text copied with a picture is pasted as text", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url);
    await composerOf(page).waitFor();
    const cell = { name: "cell.png", type: "image/png", base64: toPng(1, 1).toString("base64") };
    const isTaken = await carry(page, "paste", [cell], "a cell");
    expect(isTaken).toBe(false);
    expect(await trayOf(page).count()).toBe(0);
  });

  test("an unreadable file holds the message until the user decides; a long paste becomes a file and text again", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url, { allowErrors: true });
    await pick(page, [archive, notes]);
    await seeText(() => trayOf(page).first().getByRole("alert").innerText(), "It is a damaged archive or document.");
    await seeText(() => trayOf(page).nth(1).innerText(), /\d+ B/);
    await composerOf(page).fill("Which quarry sells larvikite?");
    await composerOf(page).press("Enter");
    await page.getByText("1 file cannot be sent. Remove it, or").waitFor();
    expect(await questionsOf(page).count()).toBe(0);

    const lines = Array.from({ length: 400 }, (_, n) => `pasted line ${n}`).join("\n");
    expect(await carry(page, "paste", [], lines)).toBe(true);
    await page.getByRole("button", { name: "Paste as text" }).click();
    await expect.poll(() => composerOf(page).inputValue()).toContain("pasted line 399");
    await expect.poll(() => trayOf(page).count()).toBe(2);
    await composerOf(page).fill("Which quarry sells larvikite?");
    await carry(page, "paste", [], lines);
    await page.getByRole("button", { name: "Paste as text" }).waitFor();
    await page.getByRole("button", { name: "send without it" }).click();
    await seeText(() => answersOf(page).last().innerText(), "Larvik");
    const question = questionsOf(page).first();
    expect(await question.getByRole("button", { name: "Open notes.md" }).count()).toBe(1);
    expect(await question.getByRole("button", { name: "Open Pasted text.txt" }).count()).toBe(1);
  });

  test("a PDF of 300 pages, a workbook, a table and a HEIC photo open as pages, tables and a picture", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url);
    const texts = Array.from(
      { length: 300 },
      (_, n) => `Chapter ${n + 1} ${"about the granite of the coast ".repeat(8)}`,
    );
    const book = write("book.pdf", toPdf(...texts));
    await pick(page, [book, join(made, "sales.lo.xlsx"), join(made, "sales.csv"), join(made, "photo.heic")]);
    await expect.poll(() => trayOf(page).count()).toBe(4);
    await expect
      .poll(() => trayOf(page).nth(0).innerText(), { timeout: 60_000 })
      .toMatch(/300 pages · about \d+% is sent, the model can search the rest/);
    await expect.poll(() => send(page).isEnabled(), { timeout: 30_000 }).toBe(true);
    await composerOf(page).fill("What is in these?");
    await composerOf(page).press("Enter");
    const question = questionsOf(page).first();
    await question.getByRole("img", { name: "photo.heic" }).waitFor();
    await expect
      .poll(() => page.evaluate(`document.querySelector('article img[alt="photo.heic"]')?.naturalWidth`))
      .toBe(320);

    await seeText(
      () => question.getByRole("button", { name: "Open book.pdf" }).innerText(),
      /300 pages · [\d.]+% in the prompt/,
    );
    await question.getByRole("button", { name: "Open book.pdf" }).click();
    const last = page.getByRole("img", { name: "Page 300" });
    await last.scrollIntoViewIfNeeded();
    await expect
      .poll(() => page.evaluate(`document.querySelector('img[alt="Page 300"]')?.naturalHeight`), { timeout: 30_000 })
      .toBe(1400);
    await page.getByText(/The message included about \d+% of this text/).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download original" }).click();
    expect(readFileSync(await (await download).path()).equals(readFileSync(book))).toBe(true);

    await question.getByRole("button", { name: "Open sales.lo.xlsx" }).click();
    await page.getByRole("cell", { name: "1287.25" }).waitFor();
    await question.getByRole("button", { name: "Open sales.csv" }).click();
    await page.getByRole("columnheader", { name: "Customer" }).waitFor();
    expect(await page.getByRole("cell", { name: "Ruiz, Ana" }).count()).toBe(1);
    await checkAccess(page, "a table");
  }, 120_000);
});
