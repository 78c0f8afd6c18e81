import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "./hostile-text/entries.ts";
import { openHostileHouse, type HostileHouse } from "./hostile-text/house.ts";
import { hostileTexts } from "./hostile-text/texts.ts";

/**
 * C5: how long texts from outside delay everybody else. Run it by itself, on a machine that does nothing else:
 * `STONECHAT_DEEP=1 vitest run --maxWorkers=1 test/security/hostile-text.deep.test.ts`. All figures are the server's own: p99 is the
 * delay of its event loop, and `heldMs` the longest time that its serving thread worked at a stretch.
 */
const MOST_DELAY_MS = 50;
const MOST_HELD_MS = 100;
const sizes = [1000, 10_000, 100_000];
const SHOWN = 3;

describe("hostile text", () => {
  let house: HostileHouse;
  beforeAll(async () => {
    house = await openHostileHouse();
    // What is loaded at the first use is no matter of a text.
    for (const { enter } of entries) await enter(house, "granite").catch(() => {});
  });
  afterAll(() => house.close());

  test.each(entries)(
    "does not delay others through: $name",
    async ({ name, most, enter }) => {
      const held: { text: string; size: number; heldMs: number }[] = [];
      let [worstMs, p99Ms] = [0, 0];
      await house.loopDelay(true);
      for (const { name: text, make } of hostileTexts)
        for (const size of new Set(sizes.map((one) => Math.min(one, most)))) {
          await enter(house, make(size).slice(0, size)).catch(() => {});
          const { heldMs, maxMs, longP99Ms } = await house.loopDelay();
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
