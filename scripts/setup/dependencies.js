import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findMissingBindings, isInstalled } from "./lockfile.js";
import { runNpm } from "./npm.js";
import { readIfThere, root, runtimeFolder, say, SetupProblem } from "../project.js";

/**
 * Installs the packages of package-lock.json unless they are installed. The check reads two small files and does not start npm.
 * @param {import("../program.js").Runtime} runtime
 * @param {{ folder?: string, isForUsers?: boolean }} [options] `folder` of a package.json, relative to the project;
 *   `isForUsers`: without the packages that only the page, checks and tests need, unless these are there already
 */
export async function ensureDependencies(runtime, { folder = ".", isForUsers = false } = {}) {
  const home = join(root, folder);
  const lockText = readIfThere(join(home, "package-lock.json"));
  if (lockText === undefined) throw new SetupProblem(`${join(folder, "package-lock.json")} is missing. Restore it.`);
  const marker = join(home, "node_modules/.stonechat-installed");
  const wanted = createHash("sha256").update(`${process.platform} ${process.arch} ${lockText}`).digest("hex");
  const installed = readIfThere(marker);
  if (installed === wanted || (isForUsers && installed === `${wanted} ${trimmed}`)) return;

  const lock = JSON.parse(lockText);
  if (installed?.endsWith(trimmed)) rmSync(join(home, "node_modules"), { recursive: true, force: true });
  const isLight = isForUsers && !existsSync(join(home, "node_modules/vite"));
  if (!isInstalled(lock, JSON.parse(readIfThere(join(home, "node_modules/.package-lock.json")) ?? "{}"))) {
    say(
      folder !== "."
        ? `installing packages of ${folder}/`
        : isLight
          ? "installing packages (about 210 MB, once)"
          : "installing packages, also for development (about 900 MB, once; a minute or two)",
    );
    await install(runtime, home, isLight ? "--omit=dev" : "--include=dev");
  }
  await installBindings(runtime, home, lock);
  writeFileSync(marker, isLight ? `${wanted} ${trimmed}` : wanted);
  if (isLight) trim(join(home, "node_modules"));
}

const trimmed = "without development";

/**
 * Deletes source maps and type declarations, a third of the bytes. A full installation starts from an empty folder.
 * @param {string} folder
 */
function trim(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) trim(path);
    else if (/\.map$|\.d\.[cm]?ts$/.test(entry.name)) rmSync(path);
  }
}

/**
 * Installs the packages of a folder with package.json and package-lock.json, and native packages that the lockfile lacks.
 * @param {import("../program.js").Runtime} runtime @param {string} home
 */
export async function installAll(runtime, home) {
  await install(runtime, home, "--include=dev");
  await installBindings(runtime, home, JSON.parse(readIfThere(join(home, "package-lock.json")) ?? "{}"));
}

/**
 * Uses `npm install --no-save` instead of `npm ci`: a lockfile created where some platform packages were unavailable lacks
 * them, and `npm ci` then rejects the whole file. This also installs the locked versions and leaves the lockfile unchanged.
 * @param {import("../program.js").Runtime} runtime @param {string} home @param {"--omit=dev" | "--include=dev"} development
 */
async function install(runtime, home, development) {
  const code = await runNpm(runtime.node, ["install", "--no-save", development, "--prefix", home]);
  if (code === 127) throw new SetupProblem("npm was not found. Install Node with npm from nodejs.org.");
  if (code !== 0) {
    throw new SetupProblem(
      "npm could not install the packages. Check the network (npm ping), then run the command again.",
    );
  }
}

/**
 * Installs native packages for this platform that are missing in the lockfile, each in the version that its dependent requires.
 * @param {import("../program.js").Runtime} runtime @param {string} home @param {import("./lockfile.js").Lock} lock
 */
async function installBindings(runtime, home, lock) {
  const { platform, arch } = process;
  const missing = findMissingBindings(lock, { platform, arch, isMusl: isMusl() }, (path) =>
    existsSync(join(home, path)),
  );
  if (missing.length === 0) return;
  const place = join(runtimeFolder, "bindings");
  say(`installing native packages for this platform: ${missing.map(({ name }) => name).join(", ")}`);
  const specs = missing.map(({ name, version }) => `${name}@${version}`);
  const flags = ["--prefix", place, "--no-save", "--no-package-lock"];
  if ((await runNpm(runtime.node, ["install", ...flags, ...specs])) !== 0) {
    throw new SetupProblem(`npm could not install ${specs.join(" ")}. Check the network, then run the command again.`);
  }
  for (const { name } of missing) {
    const target = join(home, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(join(place, "node_modules", name), target);
  }
  rmSync(place, { recursive: true, force: true });
}

function isMusl() {
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report?.getReport() ?? {});
  return process.platform === "linux" && report.header?.glibcVersionRuntime === undefined;
}
