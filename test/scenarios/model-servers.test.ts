import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scenarios } from "../providers/servers/all.ts";
import { createHarness, type ScenarioResult } from "../providers/servers/run-scenarios.ts";
import { HEALTHY } from "../providers/servers/scenario.ts";
import { toTables } from "../providers/servers/to-document.ts";

/** Scenarios of the compatible server have separate models and run in parallel; those of hosted providers run one by one. */
const AT_ONCE = 8;

let harness: Awaited<ReturnType<typeof createHarness>> | undefined;
const results = new Map<number, Promise<ScenarioResult>>();

beforeAll(async () => {
  const opened = await createHarness(scenarios);
  harness = opened;
  const lanes = [...Array.from({ length: AT_ONCE }, () => Promise.resolve()), Promise.resolve()];
  scenarios.forEach((scenario, index) => {
    const lane = scenario.provider === undefined ? index % AT_ONCE : AT_ONCE;
    const result = (lanes[lane] ?? Promise.resolve()).then(() => opened.run(index));
    results.set(index, result);
    lanes[lane] = result.then(
      () => {},
      () => {},
    );
  });
}, 60_000);
afterAll(() => harness?.close());

describe("model servers", () => {
  test("has at least 155 scenarios with unique names", () => {
    const names = new Set(scenarios.map(({ server, name }) => `${server}: ${name}`));
    expect(names.size).toBe(scenarios.length);
    expect(scenarios.length).toBeGreaterThanOrEqual(155);
  });

  test("docs/providers.md lists every scenario", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/providers.md"), "utf8");
    expect(page.endsWith(toTables()), "run node test/providers/servers/write-document.ts").toBe(true);
  });

  test.each(scenarios.map((scenario, index) => ({ ...scenario, index })))(
    "$server: $name",
    { timeout: 300_000 },
    async ({ index, ...scenario }) => {
      const seen = await results.get(index);
      expect(seen).toMatchObject({
        outcome: scenario.outcome,
        sentence: scenario.sentence,
        answer: scenario.answer,
        calls: scenario.calls,
        nextTurn: HEALTHY,
        open: [],
        ...(scenario.tools ? { tools: scenario.tools } : {}),
        ...(scenario.reasoning === undefined ? {} : { reasoning: scenario.reasoning }),
        ...(scenario.answeredBy === undefined ? {} : { answeredBy: scenario.answeredBy }),
        ...(scenario.isEstimated === undefined ? {} : { isEstimated: scenario.isEstimated }),
      });
      expect(seen?.waitingFor).toEqual(
        expect.arrayContaining(scenario.waitingFor === undefined ? [] : [scenario.waitingFor]),
      );
      expect(seen?.bodies.length, "requests received").toBeGreaterThanOrEqual(scenario.calls);
      expect(seen?.bodies.every((body) => body.includes("Newest question"))).toBe(true);
      expect(scenario.requests?.(seen?.bodies ?? []) ?? true, "bytes received").toBe(true);
    },
  );
});
