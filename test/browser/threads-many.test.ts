import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Response } from "../../protocol/api.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { answerRoute } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const count = process.env["STONECHAT_DEEP"] === "1" ? 10_000 : 2_000;
const hour = 3_600_000;

const toThread = (index: number, now: number): ThreadSummary => ({
  id: `many-${index}`,
  title: `Thread number ${index}`,
  preview: `The last message of number ${index}, which is long enough to be truncated at the end of its line.`,
  profile: "stone",
  model: "offline/stone",
  effort: null,
  status: "idle",
  pinned: index < 3,
  archived: false,
  messageCount: 2,
  createdAt: 0,
  updatedAt: now - index * hour,
  policy: null,
  projectId: null,
  focusId: null,
  mode: null,
  temporary: false,
  seenAt: now,
});

/** A page whose server lists thousands of threads, in pages. */
async function openMany(allowErrors = false) {
  const { url } = await startWithScriptedModel();
  const page = await openPage("about:blank", { allowErrors });
  const now = Date.now();
  const requested: number[] = [];
  await answerRoute(page, url, "listThreads", (_, __, query): Response<"listThreads"> => {
    const from = Number(query.get("cursor") ?? 0);
    const to = Math.min(count, from + Number(query.get("limit") ?? 100));
    requested.push(from);
    const threads = Array.from({ length: to - from }, (_one, index) => toThread(from + index, now));
    return { seq: 0, threads, nextCursor: to < count ? String(to) : null };
  });
  await page.goto(url);
  const list = page.getByRole("navigation", { name: "Threads", exact: true });
  await list.getByRole("link", { name: /Thread number 0\b/ }).waitFor();
  return { page, list, requested };
}

const countRows = (page: Page) => page.locator("[data-row]").count();
const scrollToEnd = (page: Page) =>
  page.getByRole("navigation", { name: "Threads", exact: true }).evaluate((list) => {
    list.scrollTop = list.scrollHeight;
  });

test.skipIf(noBrowser)("renders only threads near the viewport, of thousands", async () => {
  const { page, list, requested } = await openMany();
  await expect.poll(() => list.getByRole("heading").allInnerTexts()).toContain("Pinned");
  expect(await countRows(page)).toBeLessThan(60);
  const last = list.getByRole("link", { name: new RegExp(`Thread number ${count - 1}\\b`) });
  await expect
    .poll(
      async () => {
        await scrollToEnd(page);
        return last.count();
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe(1);
  expect(await countRows(page)).toBeLessThan(60);
  // Each page was requested only once.
  const later = requested.filter((from) => from > 0);
  expect(new Set(later).size).toBe(later.length);
  expect(await last.evaluate((row) => row.closest("li")?.ariaSetSize)).toBe(String(count));
});

test.skipIf(noBrowser)("keyboard reaches rows that are not rendered, and the focus survives scrolling", async () => {
  const { page, list } = await openMany();
  const focused = () => page.evaluate<string>("document.activeElement?.dataset.row ?? ''");
  await list.getByRole("link", { name: /Thread number 0\b/ }).focus();
  await page.keyboard.press("End");
  await expect.poll(focused).toMatch(/^many-(99|299)$/);
  await page.keyboard.press("ArrowUp");
  await expect.poll(focused).toMatch(/^many-(98|298)$/);
  await page.keyboard.press("Home");
  await expect.poll(focused).toBe("many-0");
  for (let step = 1; step <= 40; step += 1) await page.keyboard.press("ArrowDown");
  await expect.poll(focused).toBe("many-40");
  await scrollToEnd(page);
  await expect.poll(() => list.locator('[data-row="many-20"]').count()).toBe(0);
  expect(await focused()).toBe("many-40");
  await page.keyboard.press("ArrowDown");
  await expect.poll(focused).toBe("many-41");
});

test.skipIf(noBrowser)("older threads that failed to load are loaded by a button", async () => {
  const { page, list } = await openMany(true);
  let works = false;
  await page.route("**/api/threads?*cursor=*", (route) => (works ? route.fallback() : route.abort()));
  await scrollToEnd(page);
  const loadOlder = list.getByRole("button", { name: "Load older threads" });
  await expect
    .poll(async () => {
      await scrollToEnd(page);
      return loadOlder.count();
    })
    .toBe(1);
  works = true;
  await loadOlder.click();
  await loadOlder.waitFor({ state: "detached" });
});
