#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";
import { refreshCatalogue } from "./catalogue.js";
import { runChecks, runFixes } from "./checks.js";
import { ensureDependencies } from "./setup/dependencies.js";
import { runDev } from "./dev.js";
import { ensureNode } from "./setup/node-runtime.js";
import { buildPage, ensurePage } from "./setup/page.js";
import { runInForeground } from "./program.js";
import { readServerFlags, root, SetupProblem } from "./project.js";
import { runChaos, runTests } from "./tests.js";

/**
 * Entry point of every npm command: ensures a recent Node and the packages, then runs the command. Plain JavaScript for
 * Node 20, because the newer Node may not be installed yet.
 * @type {Record<string, (runtime: import("./program.js").Runtime, args: readonly string[]) => Promise<number>>}
 */
const commands = {
  start: async (runtime, args) => {
    await ensurePage(runtime);
    return runInForeground(runtime, [...readServerFlags(), "server/main.ts", ...args]);
  },
  receipt: (runtime, args) => runInForeground(runtime, ["server/main.ts", "receipt", ...args]),
  compact: (runtime) => runInForeground(runtime, ["server/main.ts", "compact"]),
  dev: (runtime) => runDev(runtime),
  build: async (runtime) => {
    await buildPage(runtime);
    return 0;
  },
  check: async (runtime) => ((await runChecks(runtime)).length === 0 ? 0 : 1),
  fix: (runtime) => runFixes(runtime),
  test: (runtime, args) => runTests(runtime, { deep: false, args }),
  "test:deep": (runtime, args) => runTests(runtime, { deep: true, args }),
  chaos: (runtime, args) => runChaos(runtime, args),
  bench: (runtime, args) => runBenchmark(runtime, "main", args),
  "bench:web": (runtime, args) => runBenchmark(runtime, "web/main", args),
  catalogue: (_, args) => refreshCatalogue(args),
  pictures: async (runtime) => {
    await ensurePage(runtime);
    return runInForeground(runtime, ["test/browser/pictures/take.ts"]);
  },
  eval: (runtime, args) => runEvaluation(runtime, "main", args),
  "eval:extract": (runtime, args) => runEvaluation(runtime, "extract", args),
  "eval:edits": (runtime, args) => runEvaluation(runtime, "edits", args),
  "eval:redact": (runtime, args) => runEvaluation(runtime, "redact", args),
};

/** @param {import("./program.js").Runtime} runtime @param {string} subject @param {readonly string[]} args */
async function runBenchmark(runtime, subject, args) {
  if (existsSync(join(root, "bench/package.json"))) await ensureDependencies(runtime, "bench");
  await ensurePage(runtime);
  return runInForeground(runtime, [`bench/${subject}.ts`, ...args]);
}

/** @param {import("./program.js").Runtime} runtime @param {string} subject @param {readonly string[]} args */
async function runEvaluation(runtime, subject, args) {
  await ensureDependencies(runtime, "eval");
  return runInForeground(runtime, [`eval/${subject}.ts`, ...args]);
}

const [name = "", ...args] = process.argv.slice(2);
try {
  const command = commands[name];
  if (!command) throw new SetupProblem(`unknown command "${name}". Use one of ${Object.keys(commands).join(", ")}.`);
  const runtime = await ensureNode();
  await ensureDependencies(runtime);
  process.exitCode = await command(runtime, args);
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  process.stderr.write(`stonechat: ${error.message}\n`);
  process.exitCode = 1;
}
