import type { Page } from "playwright-core";
import { ask, waitUntil, type Contestant, type Trial } from "../stage.ts";

const SLOWED = 4;
const KB = 1000;
const SETTLE_MS = 1500;

/**
 * The first visit, nothing cached, with 4x CPU throttling: from the navigation to a composer that accepts text, and the
 * compressed scripts that the page loaded until the composer was drawn.
 */
export async function measureFirstLoad(trial: Trial, contestant: Contestant): Promise<void> {
  const { stage, series } = trial;
  const { suffix, url } = contestant;
  const { interactiveMs, scripts } = await stage.open(async ({ page, cdp }) => {
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
    await page.addInitScript("requestAnimationFrame(benchWatch.waitForComposer)");
    await page.goto(url, { waitUntil: "commit" });
    if (!(await waitUntil(page, "takesTextAt !== null", 60))) throw new Error(`${url} accepted no text.`);
    const readyMs = Number(await ask(page, "takesTextAt"));
    await page.waitForTimeout(SETTLE_MS);
    return { interactiveMs: readyMs, scripts: await readScripts(page) };
  });
  series.add(`page.interactive-ms${suffix}`, "ms", interactiveMs);
  series.add(`page.js-kb${suffix}`, "kB", sum(scripts.filter(({ isFirst }) => isFirst)));
  series.add(`page.js-kb.soon-after${suffix}`, "kB", sum(scripts.filter(({ isFirst }) => !isFirst)));
}

type Script = { readonly bytes: number; readonly isFirst: boolean };

const sum = (scripts: readonly Script[]): number => scripts.reduce((total, { bytes }) => total + bytes, 0) / KB;

/** Bytes as sent, without headers; requested before or after the composer was drawn. */
const readScripts = (page: Page): Promise<readonly Script[]> =>
  page.evaluate(`performance.getEntriesByType("resource")
    .filter(({ name }) => /\\.m?js$/.test(new URL(name).pathname))
    .map(({ encodedBodySize, startTime }) => ({ bytes: encodedBodySize, isFirst: startTime <= benchWatch.composerAt }))`);
