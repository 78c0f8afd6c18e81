import { median, p95 } from "../../statistics.ts";
import { toPiece, writeScript } from "../../load/script.ts";
import { ask, composerOf, send, waitUntil, type Contestant, type Trial } from "../stage.ts";
import { toFrameWork, traceCategories, type TraceEvent } from "../trace.ts";

const PER_S = 200;
const THERE = 6_000;
const GOING_ON_S = 90;
const LIMIT_S = 60;
const KEPT_OF_MARKDOWN = 0.7;

const chars = Array.from({ length: THERE }, (_, index) => toPiece(index).length).reduce((sum, length) => sum + length);
/** The first deltas are overdue at the start, so they are sent at once. */
const script = writeScript({
  deltas: THERE + GOING_ON_S * PER_S,
  paceMs: 1000 / PER_S,
  firstMs: (-THERE * 1000) / PER_S,
  clock: "due",
  says: "markdown",
});

/** 200 tokens a second into an answer of 6,000: the main thread's work for each frame, and how fast the answer grew. */
export async function measureFrames({ stage, series, quick }: Trial, { suffix, url, halt }: Contestant): Promise<void> {
  const seconds = quick ? 6 : 15;
  const seen = await stage.open(async ({ browser, page }) => {
    await page.goto(url);
    await composerOf(page).waitFor();
    await send(page, script);
    if (!(await waitUntil(page, `lastLength() > ${chars * KEPT_OF_MARKDOWN}`, LIMIT_S))) return null;
    await page.waitForTimeout(2000);
    await browser.startTracing(page, { categories: [...traceCategories] });
    const [lengthBefore, before] = [Number(await ask(page, "lastLength()")), performance.now()];
    await page.waitForTimeout(seconds * 1000);
    const growth = (Number(await ask(page, "lastLength()")) - lengthBefore) / (performance.now() - before);
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] };
    return { events: trace.traceEvents, grown: growth * 1000 };
  });
  await halt();
  if (!seen) return series.lack(`page.frame.p95-ms${suffix}`, "ms", `6,000 tokens were not drawn within ${LIMIT_S} s`);
  const { events, grown } = seen;
  const work = toFrameWork(events);
  if (work.length === 0) throw new Error("The trace has no frame.");
  series.add(`page.frame.p95-ms${suffix}`, "ms", p95(work));
  series.add(`page.frame.p95-ms.cpu${suffix}`, "ms", p95(toFrameWork(events, "cpu")));
  series.add(`page.frame.median-ms${suffix}`, "ms", median(work));
  series.add(`page.frame.per-s${suffix}`, "frames/s", work.length / seconds);
  series.add(`page.frame.drawn-per-s${suffix}`, "characters/s", grown);
}
