import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "./hostile-text/entries.ts";
import { openHostileSetup, type HostileSetup } from "./hostile-text/setup.ts";
import { hostileTexts } from "./hostile-text/texts.ts";

/**
 * How long untrusted texts delay other requests. Run this test alone on an idle machine:
 * `STONECHAT_DEEP=1 vitest run --maxWorkers=1 test/security/hostile-text.deep.test.ts`. All figures are the server's own: p99 is the
 * delay of its event loop, and `heldMs` the longest uninterrupted time that its main thread was busy.
 */
const MOST_DELAY_MS = 50;
const MOST_HELD_MS = 100;
const sizes = [1000, 10_000, 100_000];
const SHOWN = 3;

describe("hostile text", () => {
  let setup: HostileSetup;
  beforeAll(async () => {
    setup = await openHostileSetup();
    // Load lazy modules first, so that they do not count.
    for (const { enter } of entries) await enter(setup, "granite").catch(() => {});
  });
  afterAll(() => setup.close());

  test.each(entries)(
    "does not delay others through: $name",
    async ({ name, most, enter }) => {
      const held: { text: string; size: number; heldMs: number }[] = [];
      let [worstMs, p99Ms] = [0, 0];
      await setup.loopDelay(true);
      for (const { name: text, make } of hostileTexts)
        for (const size of new Set(sizes.map((one) => Math.min(one, most)))) {
          await enter(setup, make(size).slice(0, size)).catch(() => {});
          const { heldMs, maxMs, longP99Ms } = await setup.loopDelay();
          held.push({ text, size, heldMs: Math.round(heldMs) });
          [worstMs, p99Ms] = [Math.max(worstMs, maxMs), longP99Ms];
        }
      const worst = held.toSorted((a, b) => b.heldMs - a.heldMs).slice(0, SHOWN);
      const told = worst.map((one) => `${one.text} ${one.size}: ${one.heldMs} ms`).join(", ");
      console.log(
        `${name}: p99 ${p99Ms.toFixed(1)} ms, worst ${worstMs.toFixed(0)} ms; most work at a stretch: ${told}`,
      );
      expect(p99Ms).toBeLessThanOrEqual(MOST_DELAY_MS);
      expect(held.filter(({ heldMs }) => heldMs > MOST_HELD_MS)).toEqual([]);
    },
    60 * 60_000,
  );
});
