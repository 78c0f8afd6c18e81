import { existsSync } from "node:fs";
import { join } from "node:path";
import { refreshCatalog } from "./catalog.js";
import { runChecks, runFixes } from "./checks.js";
import { runCommand, userCommands } from "./commands.js";
import { buildClient } from "./setup/client.js";
import { ensureDependencies } from "./setup/dependencies.js";
import { runDev } from "./dev.js";
import { ensureNode } from "./setup/node-runtime.js";
import { buildPage, ensurePage, hasPagePackages } from "./setup/page.js";
import { compileCode } from "./setup/compile.js";
import { runInForeground } from "./program.js";
import { root } from "./project.js";
import { runChaos, runTests } from "./tests.js";

/**
 * The page and the compiled server, for the npm package and for containers, where they run without this file.
 * @type {import("./commands.js").Command}
 */
const compile = async (runtime) => {
  await ensurePage(runtime);
  await compileCode(runtime);
  return 0;
};

/**
 * Entry point of every npm command in a clone: ensures a recent Node and the packages, then runs the command. Plain
 * JavaScript for Node 20, because the newer Node may not be installed yet.
 * @type {Record<string, import("./commands.js").Command>}
 */
const commands = {
  ...userCommands,
  start: async (runtime, args) => {
    await ensurePage(runtime);
    return /** @type {import("./commands.js").Command} */ (userCommands["start"])(runtime, args);
  },
  dev: (runtime) => runDev(runtime),
  build: async (runtime) => {
    await buildPage(runtime);
    await buildClient(runtime);
    return 0;
  },
  /** What `npm pack` needs. */
  package: async (runtime) => {
    await buildClient(runtime);
    return compile(runtime, []);
  },
  compile,
  check: async (runtime) => ((await runChecks(runtime)).length === 0 ? 0 : 1),
  fix: (runtime) => runFixes(runtime),
  test: (runtime, args) => runTests(runtime, { deep: false, args }),
  "test:deep": (runtime, args) => runTests(runtime, { deep: true, args }),
  chaos: (runtime, args) => runChaos(runtime, args),
  bench: (runtime, args) => runBenchmark(runtime, "main", args),
  "bench:web": (runtime, args) => runBenchmark(runtime, "web/main", args),
  catalog: (_, args) => refreshCatalog(args),
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
  if (existsSync(join(root, "bench/package.json"))) await ensureDependencies(runtime, { folder: "bench" });
  await ensurePage(runtime);
  return runInForeground(runtime, [`bench/${subject}.ts`, ...args]);
}

/** @param {import("./program.js").Runtime} runtime @param {string} subject @param {readonly string[]} args */
async function runEvaluation(runtime, subject, args) {
  await ensureDependencies(runtime, { folder: "eval" });
  return runInForeground(runtime, [`eval/${subject}.ts`, ...args]);
}

const needPage = ["start", "compile"];

await runCommand(commands, async (name) => {
  const runtime = await ensureNode();
  const isForUsers = name === "compile" || Object.hasOwn(userCommands, name);
  // The page is built apart while the server's packages are installed.
  const page = needPage.includes(name) && !hasPagePackages() ? ensurePage(runtime) : undefined;
  await Promise.all([page, ensureDependencies(runtime, { isForUsers })]);
  return runtime;
});
