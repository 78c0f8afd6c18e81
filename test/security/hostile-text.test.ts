import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "./hostile-text/entries.ts";
import { openHostileHouse, type HostileHouse } from "./hostile-text/house.ts";
import { hostileTexts } from "./hostile-text/texts.ts";

/**
 * C5 and D12: no text that enters from outside may hold up the thread that serves everybody. The server is a process of its own,
 * so that one that hangs fails the test instead of stopping it. How long each text delays others is measured in a deep run.
 */
const SECONDS = 1000;
/** Only an algorithm that is not linear needs this much for the texts of a quick run. */
const MOST_CPU_MS = 8 * SECONDS;

/** The shortest text that stopped 0.1.0, and one text with every hostile shape in it. */
const quickTexts = [`token = ${"a_b_".repeat(40)}=`, hostileTexts.map(({ make }) => make(300)).join("\n\n")];

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
});
