import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { toPdf } from "../support/web/pdf.ts";
import { checkAccess } from "./check-access.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";

const offline = { env: { STONECHAT_MODEL: "offline/stone" } };
const name = "a-handbook-with-quite-a-long-file-name-of-the-whole-company-300.pdf";
const waiting = (page: Page) => page.getByText(`Waiting for ${name}`);

/** Holds uploads until the returned function is called. */
async function holdUploads(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === "/api/attachments",
    async (route) => {
      if (route.request().method() === "POST") await gate.promise;
      await route.continue();
    },
  );
  return gate.resolve;
}

const attach = (page: Page, buffer: Buffer) =>
  page.locator("input[data-attach]").setInputFiles({ name, mimeType: "application/pdf", buffer });

describe.skipIf(noBrowser)("a message whose file is being read", () => {
  test("waits visibly, can be held back, and is sent with the file once that has been read", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url);
    const release = await holdUploads(page);
    await attach(page, toPdf("Marble is metamorphic"));
    await composerOf(page).fill("What is marble?");
    await composerOf(page).press("Enter");
    await waiting(page).waitFor();
    await checkAccess(page, "a message that waits for its file");
    await page.getByRole("button", { name: "Don't send yet" }).click();
    await waiting(page).waitFor({ state: "detached" });
    await composerOf(page).press("Enter");
    await waiting(page).waitFor();
    expect(await questionsOf(page).count()).toBe(0);
    release();
    await seeText(() => questionsOf(page).first().innerText(), "What is marble?");
    const file = questionsOf(page)
      .first()
      .getByRole("button", { name: `Open ${name}` });
    await file.waitFor();
    await seeText(() => answersOf(page).last().innerText(), "Marble");
    expect(await composerOf(page).inputValue()).toBe("");

    // The name keeps a readable width on a phone.
    await page.setViewportSize({ width: 390, height: 800 });
    const box = await file.locator("bdi").boundingBox();
    expect(box?.width).toBeGreaterThan(150);
  });

  test("stays with the reason if the file cannot be read, and is still there after a reload", async () => {
    const { url } = await startInstance(offline);
    const page = await openPage(url, { allowErrors: true });
    const release = await holdUploads(page);
    await attach(page, Buffer.from("PK\x03\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    await composerOf(page).fill("What is marble?");
    await composerOf(page).press("Enter");
    await waiting(page).waitFor();
    release();
    await page.getByText("1 file cannot be sent. Remove it, or").waitFor();
    expect(await composerOf(page).inputValue()).toBe("What is marble?");
    expect(await questionsOf(page).count()).toBe(0);
    await page.reload();
    await expect.poll(() => composerOf(page).inputValue()).toBe("What is marble?");
  });
});
