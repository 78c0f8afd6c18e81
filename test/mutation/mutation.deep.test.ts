import { expect, test } from "vitest";
import { scoreTarget } from "./run.ts";
import { targets } from "./targets.ts";

const LEAST = 0.9;

test.each(Object.entries(targets))(
  "the tests of %s notice at least 90 % of its mutants",
  { timeout: 60 * 60_000 },
  async (_, target) => {
    const { killed, all, survivors } = await scoreTarget(target);
    expect(all).toBeGreaterThan(20);
    expect(killed / all, survivors.join("\n")).toBeGreaterThanOrEqual(LEAST);
  },
);
