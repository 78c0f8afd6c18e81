import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { runPatiently } from "../program.js";

/**
 * Runs the npm that started us, or the one installed with Node, without install scripts: no package needs them, and some
 * would require a compiler.
 * @param {string} node @param {readonly string[]} args
 * @returns {Promise<number>} its exit code; 127 when there is no npm
 */
export function runNpm(node, args) {
  const script = findNpm();
  const all = [...args, "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  if (script) return runPatiently(node, [script, ...all]);
  return runPatiently("npm", all, { shell: process.platform === "win32" });
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
