import { chromium, type Browser } from "playwright-core";
import { findChromium } from "../../test/support/chromium.ts";
import { readConfig } from "../../server/config/config.ts";
import { serve } from "../../server/serve.ts";
import type { Contest, Measuring } from "../contest.ts";
import { seedThreads } from "../seed.ts";

/**
 * Opens a thread of 10,000 messages in a real browser: the time until its newest message is drawn, and the longest task of the
 * main thread while it scrolls up through two pages of history.
 */
export const openThread: Measuring = { ids: ["web."], run };

const LENGTH = 10_000;

type OpenTimes = { readonly openMs: number; readonly longestMs: number; readonly drawn: number };

async function run({ arena, series, repeats, say }: Contest): Promise<void> {
  const found = findChromium();
  if (!found) return say("No Chromium here: the page's figures are left out.");
  const place = await arena.createPlace("sqlite");
  const [threadId = ""] = await seedThreads(place, [LENGTH]);
  const server = await serve(
    readConfig({ STONECHAT_DATA: place.directory, STONECHAT_PORT: "0", STONECHAT_LOG: "error" }),
  );
  const browser = await chromium.launch({
    executablePath: found.executablePath,
    args: [...found.args, "--disable-gpu"],
  });
  try {
    const address = `${server.url}/t/${threadId}`;
    await openOnce(browser, address);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const { openMs, longestMs, drawn } = await openOnce(browser, address);
      series.add("web.open-10k-ms", "ms", openMs);
      series.add("web.longest-task-ms", "ms", longestMs);
      series.add("web.open-10k.drawn", "messages", drawn);
      say(`opened ${repeat + 1} of ${repeats}`);
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

async function openOnce(browser: Browser, address: string): Promise<OpenTimes> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.addInitScript(watchTasks);
  await page.goto(address);
  const last = page.getByRole("article").last();
  await last.waitFor();
  const openMs = await page.evaluate("performance.now()");
  const drawn = await page.getByRole("article").count();
  for (let scroll = 0; scroll < 40; scroll += 1) {
    await page.mouse.move(800, 400);
    await page.mouse.wheel(0, -800);
    await page.waitForTimeout(25);
  }
  const longestMs = await page.evaluate("globalThis.longestTaskMs");
  await page.close();
  return { openMs: Number(openMs), longestMs: Number(longestMs), drawn };
}

/** Runs in the page. Browsers report tasks from 50 ms on. */
const watchTasks = `
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longestTaskMs = Math.max(globalThis.longestTaskMs, duration);
  }).observe({ type: "longtask", buffered: true });
`;
