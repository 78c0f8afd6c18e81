import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Response } from "../../protocol/api.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { answerRoute } from "./stub-thread.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const count = 10_000;
const hour = 3_600_000;

const toThread = (index: number, now: number): ThreadSummary => ({
  id: `many-${index}`,
  title: `Thread number ${index}`,
  preview: `What was said last in number ${index}, which is long enough to be cut at the end of its line.`,
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

/** A real page of a real server, which is told of ten thousand threads, a page of them at a time. */
async function openMany(allowErrors = false) {
  const { url } = await startWithScriptedModel();
  const page = await openPage(url, { allowErrors });
  const now = Date.now();
  const asked: number[] = [];
  await answerRoute(page, url, "listThreads", (_, __, query): Response<"listThreads"> => {
    const from = Number(query.get("cursor") ?? 0);
    const to = Math.min(count, from + Number(query.get("limit") ?? 100));
    asked.push(from);
    const threads = Array.from({ length: to - from }, (_one, index) => toThread(from + index, now));
    return { seq: 0, threads, nextCursor: to < count ? String(to) : null };
  });
  await page.reload();
  const list = page.getByRole("navigation", { name: "Threads", exact: true });
  await list.getByRole("link", { name: /Thread number 0\b/ }).waitFor();
  return { page, list, asked };
}

const countRows = (page: Page) => page.locator("[data-row]").count();
const scrollToEnd = (page: Page) =>
  page.getByRole("navigation", { name: "Threads", exact: true }).evaluate((list) => {
    list.scrollTop = list.scrollHeight;
  });

test.skipIf(noBrowser)("of ten thousand threads only those near the window are in the page", async () => {
  const { page, list, asked } = await openMany();
  await expect.poll(() => list.getByRole("heading").allInnerTexts()).toContain("Pinned");
  expect(await countRows(page)).toBeLessThan(60);
  const last = list.getByRole("link", { name: /Thread number 9999\b/ });
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
  // Each page was asked for once, however often the end came near.
  const further = asked.filter((from) => from > 0);
  expect(new Set(further).size).toBe(further.length);
  expect(await last.evaluate((row) => row.closest("li")?.ariaSetSize)).toBe(String(count));
});

test.skipIf(noBrowser)("keys reach rows that are not in the page yet, and the focus outlives scrolling", async () => {
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

test.skipIf(noBrowser)("older threads that could not be loaded are asked for again by a press", async () => {
  const { page, list } = await openMany(true);
  let works = false;
  await page.route("**/api/threads?*cursor=*", (route) => (works ? route.fallback() : route.abort()));
  await scrollToEnd(page);
  const again = list.getByRole("button", { name: "Load older threads" });
  await expect
    .poll(async () => {
      await scrollToEnd(page);
      return again.count();
    })
    .toBe(1);
  works = true;
  await again.click();
  await again.waitFor({ state: "detached" });
});
