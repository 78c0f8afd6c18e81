import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Whether this is the npm package, whose code is compiled, and not a clone. */
export const isPackaged = !existsSync(join(root, "server"));
/** The folder of `.env` and of all that is written: a clone's own folder, but not the package's, which npm replaces. */
export const home = isPackaged ? join(homedir(), ".stonechat") : root;
export const runtimeFolder = join(home, isPackaged ? "cache" : ".runtime");

/** A problem that the user must fix before setup can continue: shown as one line, without a stack. */
export class SetupProblem extends Error {}

/**
 * Node flags for the server. By default the young generation grows to several times what a thousand open streams need,
 * and is never shrunk.
 * @returns {string[]}
 */
export const readServerFlags = () => JSON.parse(readFileSync(join(root, "scripts/server-flags.json"), "utf8"));

/** @param {string} text */
export function say(text) {
  process.stdout.write(`stonechat: ${text}\n`);
}

/**
 * A hash of names and contents, so that a fresh clone or a touched file does not count as a change.
 * @param {readonly string[]} paths files or folders, relative to the project
 */
export function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((path) => listFiles(join(root, path))).sort()) {
    hash.update(`${relative(root, path).split(sep).join("/")}\0`);
    hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** @param {string} path @returns {string[]} */
function listFiles(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return /\.test\.tsx?$/.test(path) ? [] : [path];
  return readdirSync(path).flatMap((name) => (name === "node_modules" ? [] : listFiles(join(path, name))));
}

/** @param {string} path @returns {string | undefined} */
export function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
