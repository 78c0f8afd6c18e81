import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { runChecks } from "./checks.js";
import { ensurePage } from "./setup/page.js";
import { packageScript, passSignals, runInForeground, toEnvironment, toExitCode } from "./program.js";
import { readIfThere, root, runtimeFolder, say, SetupProblem } from "./project.js";
import { ensureTestTools } from "./setup/test-tools.js";

const countsFile = join(runtimeFolder, "test-counts.json");
const minute = 60_000;
/** Node 24 can hang on exit: time limit for exiting after the last test. */
const exitLimitMs = minute;
const minMemoryBytes = 6 * 1024 ** 3;
/** More failed files than this have a common cause, not a machine that was busy. */
const mostFilesAlone = 12;

/**
 * Runs checks, then tests, then prints one line with the counts. Every failure is counted: a test, a check, the build of
 * the page, a run that was aborted or found no tests.
 * @param {import("./program.js").Runtime} runtime
 * @param {{ deep: boolean, args: readonly string[] }} options `args` go to Vitest; with them only tests are run
 * @returns {Promise<number>} the exit code
 */
export async function runTests(runtime, { deep, args }) {
  await ensureTestTools(runtime);
  /** @type {string[]} */
  const failures = [];
  try {
    await ensurePage(runtime);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    failures.push(error.message);
  }
  const whole = args.length === 0;
  if (whole) failures.push(...(await runChecks(runtime)).map((name) => `check ${name}`));

  const counts = await runVitest(runtime, { deep, args, limitMs: (deep ? 360 : 60) * minute });
  failures.push(...counts.problems);
  if (whole && deep && (await runChaos(runtime)) !== 0) failures.push("npm run chaos");

  for (const failure of failures) say(`FAILED: ${failure}`);
  const failed = counts.failed + failures.length;
  process.stdout.write(`Tests: ${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`);
  return failed === 0 ? 0 : 1;
}

/** @param {import("./program.js").Runtime} runtime */
export function runChaos(runtime, args = /** @type {readonly string[]} */ ([])) {
  return runInForeground(runtime, ["test/crash/chaos.ts", ...args]);
}

/**
 * @param {import("./program.js").Runtime} runtime
 * @param {{ deep: boolean, args: readonly string[], limitMs: number }} options
 */
async function runVitest(runtime, { deep, args, limitMs }) {
  mkdirSync(runtimeFolder, { recursive: true });
  const reporters = ["--reporter=default", `--reporter=${join(root, "scripts/count-reporter.js")}`];
  const vitest = [packageScript("vitest/vitest.mjs"), "run", ...reporters, ...args];
  const memory = createMemoryFolder();
  const env = {
    TEST_COUNTS_FILE: countsFile,
    ...(deep ? { STONECHAT_DEEP: "1" } : {}),
    ...(memory === undefined ? {} : { TMPDIR: memory }),
  };
  try {
    const first = await runCounted(runtime, vitest, env, limitMs);
    return args.length === 0 && isForAnotherTry(first) ? await runAlone(runtime, vitest, env, first) : first;
  } finally {
    if (memory !== undefined) rmSync(memory, { recursive: true, force: true, maxRetries: 10 });
  }
}

/**
 * @param {import("./program.js").Runtime} runtime
 * @param {readonly string[]} vitest @param {Record<string, string>} env @param {number} limitMs
 */
async function runCounted(runtime, vitest, env, limitMs) {
  rmSync(countsFile, { force: true });
  const { code, cut } = await runWatched(runtime, vitest, env, limitMs);
  const { ended, ...counts } = readCounts();
  const problems = [];
  if (cut) problems.push(cut);
  else if (!ended) problems.push(`Vitest exited with code ${code} before its tests finished`);
  else if (code !== 0 && counts.failed === 0) problems.push(`Vitest exited with code ${code}`);
  if (counts.passed + counts.failed === 0) problems.push("no test was run");
  return { ...counts, problems };
}

/** @param {Awaited<ReturnType<typeof runCounted>>} first */
function isForAnotherTry({ failed, failedFiles, problems }) {
  const inFiles = failedFiles.reduce((sum, file) => sum + file.failed, 0);
  return (
    Boolean(process.env["CI"]) &&
    failed > 0 &&
    failed === inFiles &&
    failedFiles.length <= mostFilesAlone &&
    problems.length === 0
  );
}

/**
 * In a continuous build, runs the files that failed once more, one at a time while nothing else runs, and names them. A
 * test that fails only on a busy machine is a fault of the test, but no reason to reject a change.
 * @param {import("./program.js").Runtime} runtime
 * @param {readonly string[]} vitest @param {Record<string, string>} env @param {Awaited<ReturnType<typeof runCounted>>} first
 */
async function runAlone(runtime, vitest, env, first) {
  const paths = first.failedFiles.map(({ path }) => path);
  say(`running ${paths.length} failed ${paths.length === 1 ? "file" : "files"} again, alone`);
  const second = await runCounted(runtime, [...vitest, "--maxWorkers=1", ...paths], env, 20 * minute);
  const still = new Set(second.failedFiles.map(({ path }) => path));
  for (const path of paths) if (!still.has(path)) say(`Passed only when run alone: ${path}`);
  const before = (/** @type {"passed" | "skipped"} */ key) =>
    first.failedFiles.reduce((sum, file) => sum + file[key], 0);
  return {
    passed: first.passed - before("passed") + second.passed,
    failed: second.failed,
    skipped: first.skipped - before("skipped") + second.skipped,
    problems: second.problems,
  };
}

/**
 * Creates a temporary folder in memory. Tests wait for thousands of commits to reach the disk; the databases still sync
 * as in production, but a sync takes no time. Undefined if TMPDIR is set or memory is scarce, as in small containers.
 */
function createMemoryFolder() {
  if (process.platform !== "linux" || process.env["TMPDIR"] || freemem() < minMemoryBytes) return undefined;
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < minMemoryBytes) return undefined;
    const folder = mkdtempSync("/dev/shm/stonechat-tests-");
    // PostgreSQL does not run as root: its user must be able to enter.
    chmodSync(folder, 0o755);
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * Runs in a separate process group, so that a run that does not exit can be killed with all its workers.
 * @param {import("./program.js").Runtime} runtime
 * @param {readonly string[]} args @param {Record<string, string>} env @param {number} limitMs
 * @returns {Promise<{ code: number, cut: string | undefined }>}
 */
function runWatched(runtime, args, env, limitMs) {
  const ownGroup = process.platform !== "win32";
  const child = spawn(runtime.node, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    detached: ownGroup,
    env: toEnvironment(runtime, env),
  });
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid !== undefined) killGroup(ownGroup ? -child.pid : child.pid, signal);
  };
  const startedAt = Date.now();
  let endedAt = Infinity;
  /** @type {string | undefined} */
  let cut;
  const watch = setInterval(() => {
    if (endedAt === Infinity && readCounts().ended) endedAt = Date.now();
    if (Date.now() - startedAt > limitMs) cut = `the tests took more than ${limitMs / minute} minutes and were killed`;
    if (cut !== undefined || Date.now() - endedAt > exitLimitMs) kill("SIGKILL");
  }, 1000);
  const stopPassing = passSignals((signal) => {
    cut = `the tests were stopped by ${signal}`;
    kill(signal);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearInterval(watch);
      stopPassing();
      const hung = signal === "SIGKILL" && endedAt !== Infinity && cut === undefined;
      if (hung) say("Vitest did not exit after its last test and was killed. The counts are complete.");
      resolve({ code: hung ? 0 : toExitCode(code, signal), cut });
    });
  });
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function killGroup(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already exited.
  }
}

/** @returns {import("./count-reporter.js").Counts} */
function readCounts() {
  const text = readIfThere(countsFile);
  try {
    return JSON.parse(text ?? "");
  } catch {
    return { passed: 0, failed: 0, skipped: 0, ended: false, failedFiles: [] };
  }
}
