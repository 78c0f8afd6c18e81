import { packageScript, runInForeground, runQuietly } from "./program.js";
import { say } from "./project.js";

/** @type {readonly { name: string, args: readonly string[] }[]} */
const checks = [
  { name: "types of protocol/", args: [packageScript("typescript/bin/tsc"), "-p", "protocol"] },
  { name: "types of server/, test/, bench/ and eval/", args: [packageScript("typescript/bin/tsc"), "-p", "server"] },
  { name: "types of web/", args: [packageScript("typescript/bin/tsc"), "-p", "web"] },
  { name: "types of scripts/", args: [packageScript("typescript/bin/tsc"), "-p", "scripts"] },
  { name: "lint", args: [packageScript("oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"] },
  { name: "regular expressions", args: ["test/regex/check.ts"] },
  { name: "format", args: [packageScript("oxfmt/bin/oxfmt"), "--check"] },
];

/**
 * Runs every check, even after a failure.
 * @param {import("./program.js").Runtime} runtime
 * @returns {Promise<readonly string[]>} the names of those that failed
 */
export async function runChecks(runtime) {
  const failed = [];
  for (const { name, args } of checks) {
    const { code, output } = await runQuietly(runtime, args);
    say(`check ${name}: ${code === 0 ? "ok" : "FAILED"}`);
    if (code === 0) continue;
    process.stdout.write(output);
    failed.push(name);
  }
  return failed;
}

/**
 * Applies automatic fixes: lint fixes, then formatting.
 * @param {import("./program.js").Runtime} runtime
 */
export async function runFixes(runtime) {
  const linted = await runInForeground(runtime, [packageScript("oxlint/bin/oxlint"), "--type-aware", "--fix"]);
  const formatted = await runInForeground(runtime, [packageScript("oxfmt/bin/oxfmt")]);
  return linted || formatted;
}
