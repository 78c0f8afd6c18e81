import { expect, test } from "vitest";
import type { TestModule } from "vitest/node";
import { countTests } from "./count-reporter.js";

type State = "passed" | "failed" | "skipped" | "pending";

/** The fields of Vitest's object that are counted. */
const toModule = (states: readonly State[], errors: readonly string[] = [], suiteErrors: readonly string[] = []) =>
  ({
    errors: () => errors,
    children: {
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
      allSuites: () => [{ errors: () => suiteErrors }],
    },
  }) as unknown as TestModule;

test("counts tests by their result", () => {
  const modules = [toModule(["passed", "passed", "failed"]), toModule(["skipped", "passed"])];
  expect(countTests(modules, 0)).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test("counts a file that does not load, a failed suite setup and an uncaught error as failures", () => {
  expect(countTests([toModule([], ["no such module"])], 0).failed).toBe(1);
  expect(countTests([toModule(["skipped"], [], ["beforeAll"])], 0).failed).toBe(1);
  expect(countTests([toModule(["passed"])], 2).failed).toBe(2);
});

test("counts a test that never finished as a failure", () => {
  expect(countTests([toModule(["passed", "pending"])], 0)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});
