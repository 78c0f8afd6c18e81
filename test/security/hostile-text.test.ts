import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "./hostile-text/entries.ts";
import { openHostileSetup, type HostileSetup } from "./hostile-text/setup.ts";
import { hostileTexts } from "./hostile-text/texts.ts";

/**
 * No text from outside may block the main thread. The server runs in a separate process, so that a hang fails the
 * test instead of stopping it. The deep run measures how long each text delays other requests.
 */
const SECONDS = 1000;
/** Only a superlinear algorithm needs this long for the texts of a quick run. */
const MOST_CPU_MS = 8 * SECONDS;

/** The shortest text that stopped 0.1.0, and one text with every hostile shape in it. */
const quickTexts = [`token = ${"a_b_".repeat(40)}=`, hostileTexts.map(({ make }) => make(300)).join("\n\n")];

describe("hostile text", () => {
  let setup: HostileSetup;
  beforeAll(async () => {
    setup = await openHostileSetup();
  });
  afterAll(() => setup.close());
  const entered = new Set<string>();

  test.each(entries)(
    "does not hold up the server through: $name",
    async ({ name, most, enter }) => {
      await setup.loopDelay();
      for (const text of quickTexts) await enter(setup, text.slice(0, most));
      const { cpuMs } = await setup.loopDelay();
      expect(cpuMs).toBeLessThan(MOST_CPU_MS);
      expect((await fetch(`${setup.url}/healthz`)).status).toBe(200);
      entered.add(name);
    },
    60 * SECONDS,
  );

  test("was sent to every entry point", () => {
    expect(entered).toEqual(new Set(entries.map(({ name }) => name)));
  });
});
