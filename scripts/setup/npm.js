import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { toExitCode } from "../program.js";
import { root, say } from "../project.js";

/**
 * Runs the npm that started us (or the one beside Node), without install scripts: nothing here needs them, and some would
 * call for a compiler. What npm says is shown; a line every ten seconds tells that it is still at work.
 * @param {string} node @param {readonly string[]} args
 * @returns {Promise<number>} its exit code; 127 when there is no npm
 */
export function runNpm(node, args) {
  const script = findNpm();
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const startedAt = Date.now();
  const child = script
    ? spawn(node, [script, ...args, ...flags], { cwd: root, stdio: "inherit" })
    : spawn("npm", [...args, ...flags], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  const ticker = setInterval(() => say(`... ${Math.round((Date.now() - startedAt) / 1000)} s`), 10_000);
  return new Promise((resolve) => {
    child.once("error", () => resolve(127));
    child.once("exit", (code, signal) => resolve(toExitCode(code, signal)));
  }).finally(() => clearInterval(ticker));
}

function findNpm() {
  const home = dirname(process.execPath);
  const candidates = [
    process.env["npm_execpath"] ?? "",
    join(home, "../lib/node_modules/npm/bin/npm-cli.js"),
    join(home, "node_modules/npm/bin/npm-cli.js"),
  ];
  return candidates.find((path) => path.endsWith("npm-cli.js") && existsSync(path));
}
