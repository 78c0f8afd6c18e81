import type { CDPSession, Page } from "playwright-core";
import { slope } from "../../statistics.ts";
import { writeScript } from "../../load/script.ts";
import { ask, composerOf, send, type Contestant, type Trial } from "../stage.ts";

const PER_S = 200;
const ANSWER_S = 15;
const WARM_UP = 2;
const MB = 1_000_000;
const QUIET_MS = 1500;

const script = writeScript({
  deltas: ANSWER_S * PER_S,
  paceMs: 1000 / PER_S,
  firstMs: 0,
  clock: "due",
  says: "markdown",
});

/**
 * Answers of 3,000 tokens one after another in one thread, 200 tokens a second: the heap after each, garbage collected, and its
 * growth per minute. The first answers load code on demand and warm up the engine, and do not count.
 */
export async function measureMemory({ stage, series, minutes, say }: Trial, contestant: Contestant): Promise<void> {
  const { suffix, url, halt } = contestant;
  const points: [minute: number, mb: number][] = [];
  await stage.open(async ({ page, cdp }) => {
    await page.goto(url);
    await composerOf(page).waitFor();
    const startedAt = performance.now();
    const passed = () => (performance.now() - startedAt) / 60_000;
    for (let answers = 1; passed() < minutes || points.length < 3; answers += 1) {
      await send(page, script);
      await waitForEnd(page);
      if (answers > WARM_UP) points.push([passed(), await readHeap(cdp)]);
    }
  });
  await halt();
  say(`heap${suffix}: ${points.map(([minute, mb]) => `${minute.toFixed(1)} min ${mb.toFixed(2)} MB`).join(", ")}`);
  series.add(`page.memory.mb-per-minute${suffix}`, "MB/min", slope(points));
  series.add(`page.memory.first-mb${suffix}`, "MB", points[0]?.[1] ?? Number.NaN);
  series.add(`page.memory.last-mb${suffix}`, "MB", points.at(-1)?.[1] ?? Number.NaN);
}

/** Waits for the time of the answer, and then until nothing more arrives. */
async function waitForEnd(page: Page): Promise<void> {
  await page.waitForTimeout(ANSWER_S * 1000);
  for (let before = -1, now = 0; before !== now;) {
    before = Number(await ask(page, "lastLength()"));
    await page.waitForTimeout(QUIET_MS);
    now = Number(await ask(page, "lastLength()"));
  }
}

async function readHeap(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("HeapProfiler.collectGarbage");
  return (await cdp.send("Runtime.getHeapUsage")).usedSize / MB;
}
