import { join } from "node:path";
import { packageScript, runInForeground, runQuietly } from "./program.js";
import { runtimeFolder, say } from "./project.js";

/**
 * Keeps what the compiler knows of unchanged files. It compares contents, settings and packages itself.
 * @param {string} project
 */
const typesOf = (project) => [
  packageScript("typescript/bin/tsc"),
  ...["-p", project, "--incremental", "--tsBuildInfoFile", join(runtimeFolder, "types", `${project}.json`)],
];

/** The longest first, so that the short ones fill the other core. @type {readonly { name: string, args: readonly string[] }[]} */
const checks = [
  { name: "lint", args: [packageScript("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"] },
  { name: "types of server/, test/, bench/ and eval/", args: typesOf("server") },
  { name: "types of web/", args: typesOf("web") },
  { name: "types of web/worker/", args: typesOf("web/worker") },
  { name: "regular expressions", args: ["test/regex/check.ts"] },
  { name: "types of protocol/", args: typesOf("protocol") },
  { name: "types of scripts/", args: typesOf("scripts") },
  { name: "words", args: ["test/words/check.ts"] },
  { name: "format", args: [packageScript("oxfmt/bin/oxfmt"), "--check"] },
];
const atOnce = 2;
/** The compiler and the linter are written in Go. Freeing memory less often saves a fifth of their CPU time. */
const env = { GOGC: "400" };

/**
 * Runs every check, even after a failure, two at a time, and reports them in order.
 * @param {import("./program.js").Runtime} runtime
 * @returns {Promise<readonly string[]>} the names of those that failed
 */
export async function runChecks(runtime) {
  /** @type {string[]} */
  const failed = [];
  /** @type {Map<number, import("./program.js").Ended>} */
  const ended = new Map();
  let reported = 0;
  const report = () => {
    for (let end = ended.get(reported); end; end = ended.get(reported)) {
      const name = checks[reported]?.name ?? "";
      say(`check ${name}: ${end.code === 0 ? "ok" : "FAILED"}`);
      if (end.code !== 0) {
        process.stdout.write(end.output);
        failed.push(name);
      }
      reported += 1;
    }
  };
  const waiting = [...checks.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, { args }] = next;
      ended.set(index, await runQuietly(runtime, args, { env }));
      report();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return failed;
}

/**
 * Applies automatic fixes: lint fixes, formatting, then the table of requirements.
 * @param {import("./program.js").Runtime} runtime
 */
export async function runFixes(runtime) {
  const linted = await runInForeground(runtime, [packageScript("oxlint/bin/oxlint"), "--type-aware", "--fix"]);
  const formatted = await runInForeground(runtime, [packageScript("oxfmt/bin/oxfmt")]);
  const written = await runInForeground(runtime, ["test/requirements/write.ts"]);
  return linted || formatted || written;
}
