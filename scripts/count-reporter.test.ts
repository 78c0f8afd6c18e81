import { expect, test } from "vitest";
import type { TestModule } from "vitest/node";
import { countTests } from "./count-reporter.js";

type State = "passed" | "failed" | "skipped" | "pending";

/** As much of Vitest's own object as is counted. */
const toModule = (states: readonly State[], errors: readonly string[] = [], suiteErrors: readonly string[] = []) =>
  ({
    errors: () => errors,
    children: {
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => [{ errors: () => suiteErrors }],
    },
  }) as unknown as TestModule;

test("tests are counted by how they ended", () => {
  const modules = [toModule(["passed", "passed", "failed"]), toModule(["skipped", "passed"])];
  expect(countTests(modules, 0)).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test("a file that does not load, a suite whose set-up fails and a stray error are failures", () => {
  expect(countTests([toModule([], ["no such module"])], 0).failed).toBe(1);
  expect(countTests([toModule(["skipped"], [], ["beforeAll"])], 0).failed).toBe(1);
  expect(countTests([toModule(["passed"])], 2).failed).toBe(2);
});

test("a test that never ended is a failure", () => {
  expect(countTests([toModule(["passed", "pending"])], 0)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});
