import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { toText } from "../../seed.ts";
import { ask, LONG, SHORT, type Contestant, type Trial } from "../stage.ts";

const LIMIT_S = 90;
const PAGE_PX = 800;
const SETTLE_MS = 700;

type OpenTimes = { readonly openMs: number; readonly openTaskMs: number; readonly scrollTaskMs: number };

/**
 * A loaded page opens a thread: from the click in its list to the frame that shows the newest message. Then it is scrolled up,
 * a window at a time. Tasks are reported from 50 ms on; 0 means none.
 */
export async function measureLongThread(trial: Trial, { suffix, url }: Contestant): Promise<void> {
  const { stage, series, quick } = trial;
  const windows = quick ? 30 : 100;
  for (const [length, name] of [
    [LONG, "50k"],
    [SHORT, "1k"],
  ] as const) {
    if (hasGivenUp(trial, `page.open-${name}-ms${suffix}`)) continue;
    const why = `not within ${LIMIT_S} s`;
    const seen = await stage.open(({ page }) => Promise.race([openOnce(page, { url, length, windows }), giveUp()]));
    const put = (id: string, value: number | undefined): void =>
      value === undefined ? series.lack(`${id}${suffix}`, "ms", why) : series.add(`${id}${suffix}`, "ms", value);
    put(`page.open-${name}-ms`, seen?.openMs);
    put(`page.open-${name}.longest-task-ms`, seen?.openTaskMs);
    put(`page.scroll-${name}.longest-task-ms`, seen?.scrollTaskMs);
  }
}

/** A length that failed once is skipped. */
const hasGivenUp = ({ series }: Trial, id: string): boolean =>
  series.measures().some((measure) => measure.id === id && measure.why !== undefined);

const giveUp = (): Promise<undefined> => sleep(LIMIT_S * 1000, undefined, { ref: false });

type OpenTarget = { readonly url: string; readonly length: number; readonly windows: number };

async function openOnce(page: Page, { url, length, windows }: OpenTarget): Promise<OpenTimes | undefined> {
  try {
    return await openAndScroll(page, { url, length, windows });
  } catch (error) {
    // The limit has passed and the browser was closed: the result is no longer used.
    if (page.isClosed()) return undefined;
    throw error;
  }
}

async function openAndScroll(page: Page, { url, length, windows }: OpenTarget): Promise<OpenTimes> {
  const tail = JSON.stringify(toText(length).trim());
  await page.goto(url);
  const row = page.getByRole("link", { name: `thread-of-${length}` });
  await row.waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await ask(page, "longestTaskMs = 0");
  await ask(page, `expectOpening(${tail})`);
  await row.click();
  const openMs = Number(await ask(page, "opening"));
  await page.waitForTimeout(SETTLE_MS);
  const openTaskMs = Number(await ask(page, "longestTaskMs"));

  await ask(page, "longestTaskMs = 0");
  await page.mouse.move(800, 400);
  for (let at = 0; at < windows; at += 1) {
    await page.mouse.wheel(0, -PAGE_PX);
    await page.waitForTimeout(50);
  }
  await page.waitForTimeout(SETTLE_MS);
  if (await ask(page, `showsTail(${tail})`)) throw new Error(`${url} did not scroll.`);
  return { openMs, openTaskMs, scrollTaskMs: Number(await ask(page, "longestTaskMs")) };
}
