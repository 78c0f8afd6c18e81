import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { writeThread } from "../support/context/long-thread.ts";
import { startInstance } from "../support/instance.ts";
import { noBrowser, openPage } from "./open-page.ts";

const facts: Readonly<Record<number, string>> = {
  12: "The spare key of the lighthouse hangs behind the **blue barometer**.",
  301: "A second Blue\nBarometer is in the boat shed, next to another blue barometer.",
};

async function openThread(options?: Parameters<typeof openPage>[1]): Promise<Page> {
  const env = { STONECHAT_MODEL: "offline/stone", STONECHAT_OFFLINE_PACE_MS: "0" };
  const { url, start, server } = await startInstance({ env });
  const threadId = await start();
  await writeThread(server.store, threadId, 600, (depth) => facts[depth] ?? `Message ${depth} is about walks and tea.`);
  const page = await openPage(`${url}/t/${threadId}`, options);
  await page.getByText("Message 600 is about").waitFor();
  return page;
}

const barOf = (page: Page) => page.getByRole("search", { name: "Find in this thread" });
/** The words that are marked as the current match. */
const readMarked = (page: Page): Promise<string> =>
  page.evaluate('[...(CSS.highlights.get("find-current") ?? [])].map(String).join("|")');
async function seeMessage(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.getByText(text).isVisible()).toBe(true);
}

test.skipIf(noBrowser)(
  "Ctrl F finds words in messages that are not rendered, and Enter goes through them",
  async () => {
    const page = await openThread();
    await page.keyboard.press("Control+f");
    const bar = barOf(page);
    const field = bar.getByRole("textbox");
    await expect.poll(() => field.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await field.fill("blue barometer");
    await bar.getByText("3 of 3", { exact: true }).waitFor();
    await seeMessage(page, "is in the boat shed");
    await expect.poll(() => readMarked(page)).toBe("blue barometer");
    await field.press("Enter");
    await bar.getByText("1 of 3", { exact: true }).waitFor();
    await seeMessage(page, "The spare key of the lighthouse");
    await expect.poll(() => readMarked(page)).toBe("blue barometer");
    await field.press("Shift+Enter");
    await field.press("Shift+Enter");
    await bar.getByText("2 of 3", { exact: true }).waitFor();
    await expect.poll(() => readMarked(page)).toMatch(/^Blue\s+Barometer$/);
    await field.fill("no such words");
    await bar.getByText("No matches").waitFor();
    await field.press("Escape");
    await bar.waitFor({ state: "detached" });
    expect(await page.evaluate("CSS.highlights.size")).toBe(0);
  },
);

test.skipIf(noBrowser)("the thread's menu opens the bar, and Ctrl F in the bar is left to the browser", async () => {
  const page = await openThread({ viewport: { width: 390, height: 844 } });
  await page.getByRole("button", { name: "More for this thread" }).click();
  await page.getByRole("menuitem", { name: "Find in this thread" }).click();
  const field = barOf(page).getByRole("textbox");
  await expect.poll(() => field.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  const handled = await field.evaluate((one) => {
    const { KeyboardEvent } = one.ownerDocument.defaultView;
    const event = new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true });
    return !one.dispatchEvent(event);
  });
  expect(handled).toBe(false);
  await barOf(page).getByRole("button", { name: "Close" }).click();
  await barOf(page).waitFor({ state: "detached" });
});
