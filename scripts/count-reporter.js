import { writeFileSync } from "node:fs";

/**
 * A Vitest reporter that writes the counts to TEST_COUNTS_FILE after each test file, so that they are known even if the
 * run is aborted. A file or suite that fails as a whole counts as one failure, as does an uncaught error.
 * @typedef {{ passed: number, failed: number, skipped: number, ended: boolean, failedFiles: readonly FailedFile[] }} Counts
 * @typedef {{ path: string, passed: number, failed: number, skipped: number }} FailedFile
 */
export default class CountReporter {
  /** @type {Map<string, import("vitest/node").TestModule>} */
  modules = new Map();

  /** @param {import("vitest/node").TestModule} module */
  onTestModuleEnd(module) {
    this.modules.set(module.id, module);
    this.write(0, false);
  }

  /** @param {readonly import("vitest/node").TestModule[]} modules @param {readonly unknown[]} errors */
  onTestRunEnd(modules, errors) {
    for (const module of modules) this.modules.set(module.id, module);
    this.write(errors.length, true);
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky) {
          console.log(`Passed only when tried again: ${module.moduleId} > ${test.fullName}`);
          for (const { stack, message } of test.result().errors ?? []) console.log(`  ${stack ?? message}`);
        }
  }

  /** @param {number} uncaught @param {boolean} ended */
  write(uncaught, ended) {
    const path = process.env["TEST_COUNTS_FILE"];
    if (!path) return;
    const modules = [...this.modules.values()];
    const failedFiles = modules
      .map((module) => ({ path: module.moduleId, ...countTests([module], 0) }))
      .filter(({ failed }) => failed > 0);
    writeFileSync(path, JSON.stringify({ ...countTests(modules, uncaught), ended, failedFiles }));
  }
}

/**
 * @param {readonly import("vitest/node").TestModule[]} modules @param {number} uncaught
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(modules, uncaught) {
  const counts = { passed: 0, failed: uncaught, skipped: 0 };
  for (const module of modules) {
    const suites = [module, ...module.children.allSuites()];
    counts.failed += suites.filter((suite) => suite.errors().length > 0).length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === "pending" ? "failed" : state] += 1;
    }
  }
  return counts;
}
