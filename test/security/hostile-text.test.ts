import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "./hostile-text/entries.ts";
import { openHostileHouse, type HostileHouse } from "./hostile-text/house.ts";
import { hostileTexts } from "./hostile-text/texts.ts";

/**
 * C5 and D12: no text that enters from outside may hold up the thread that serves everybody. The server is a process of its own,
 * so that one that hangs fails the test instead of stopping it.
 */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const SECONDS = 1000;
/** Only an algorithm that is not linear needs this much for the texts of a quick run. */
const MOST_CPU_MS = 8 * SECONDS;
/** In a deep run, on a machine that does nothing else. */
const MOST_DELAY_MS = 50;

/** The shortest text that stopped 0.1.0, and one text with every hostile shape in it. */
const quickTexts = [`token = ${"a_b_".repeat(40)}=`, hostileTexts.map(({ make }) => make(300)).join("\n\n")];
const deepSizes = [1000, 10_000, 100_000];

describe("hostile text", () => {
  let house: HostileHouse;
  beforeAll(async () => {
    house = await openHostileHouse();
  });
  afterAll(() => house.close());
  const entered = new Set<string>();

  test.each(entries)(
    "does not hold up the server through: $name",
    async ({ name, most, enter }) => {
      await house.loopDelay();
      for (const text of quickTexts) await enter(house, text.slice(0, most));
      const { cpuMs } = await house.loopDelay();
      expect(cpuMs).toBeLessThan(MOST_CPU_MS);
      expect((await fetch(`${house.url}/healthz`)).status).toBe(200);
      entered.add(name);
    },
    60 * SECONDS,
  );

  test("was entered at every place", () => {
    expect(entered).toEqual(new Set(entries.map(({ name }) => name)));
  });

  test.runIf(isDeep).each(entries)(
    "keeps the event loop's delay low through: $name",
    async ({ most, enter }) => {
      const delays: { text: string; size: number; p99Ms: number }[] = [];
      for (const { name, make } of hostileTexts)
        for (const size of deepSizes.filter((one) => one <= most)) {
          await house.loopDelay();
          await enter(house, make(size).slice(0, most)).catch(() => {});
          delays.push({ text: name, size, p99Ms: (await house.loopDelay()).p99Ms });
        }
      expect(delays.filter(({ p99Ms }) => p99Ms > MOST_DELAY_MS)).toEqual([]);
    },
    600 * SECONDS,
  );
});
