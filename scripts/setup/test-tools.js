import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { isInPath, runPatiently } from "../program.js";
import { root, say } from "../project.js";

/**
 * Programs that tests need and npm does not install. Missing ones are installed if that needs no confirmation: as root
 * with apt. Otherwise one line says what to do, and the tests that need them are skipped and counted as such.
 * @typedef {{ name: string, packages: readonly string[], without: string, isThere: (node: string) => boolean, isService?: boolean }} Tool
 */

/** @type {readonly Tool[]} */
const tools = [
  {
    name: "Chromium",
    packages: ["chromium", "fonts-liberation"],
    without: "install Chromium or Chrome, or name one in TEST_CHROMIUM; browser tests are skipped",
    isThere: (node) => finds(node, "test/support/chromium.ts", "findChromium"),
  },
  {
    name: "a C compiler",
    packages: ["gcc", "libc6-dev"],
    without: "install gcc; the power-loss tests are skipped",
    isThere: () => process.platform !== "linux" || isInPath("gcc"),
  },
  {
    name: "PostgreSQL",
    packages: ["postgresql"],
    without: "install PostgreSQL; its tests are skipped",
    isThere: (node) => finds(node, "test/support/postgres-binaries.ts", "findPostgres"),
  },
  ...["nginx", "caddy"].map((name) => ({
    name,
    packages: [name],
    without: `install ${name}; its tests are skipped`,
    isThere: () => isInPath(name) || existsSync(`/usr/sbin/${name}`),
    // The package would start it on port 80.
    isService: existsSync("/run/systemd/system"),
  })),
];

/** @param {import("../program.js").Runtime} runtime */
export async function ensureTestTools({ node }) {
  const missing = tools.filter((tool) => !tool.isThere(node));
  if (missing.length === 0) return;
  const installable = missing.filter((tool) => !tool.isService);
  if (canInstall() && installable.length > 0) await installWithApt(installable);
  for (const tool of missing) {
    if (!tool.isThere(node)) say(`${tool.name} is missing: ${tool.without}.`);
  }
}

function canInstall() {
  const isRoot = process.getuid?.() === 0;
  return isRoot && isInPath("apt-get") && process.env["TEST_INSTALL"] !== "no";
}

/** @param {readonly Tool[]} missing */
async function installWithApt(missing) {
  say(`installing ${missing.map(({ name }) => name).join(" and ")} with apt-get (once; a minute or two)`);
  const packages = missing.flatMap((tool) => tool.packages);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const lock = ["-o", "DPkg::Lock::Timeout=300", "-qq"];
  await runPatiently("apt-get", [...lock, "update"], { stdio: ["ignore", "ignore", "inherit"], env });
  const install = [...lock, "install", "-y", "--no-install-recommends", ...packages];
  await runPatiently("apt-get", install, { stdio: ["ignore", "ignore", "inherit"], env });
}

/**
 * Uses the same lookup as the tests.
 * @param {string} node @param {string} file @param {string} name
 */
function finds(node, file, name) {
  const url = pathToFileURL(join(root, file)).href;
  const script = `const found = (await import(${JSON.stringify(url)})).${name}(); process.exitCode = found ? 0 : 1;`;
  return (
    spawnSync(node, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", "inherit"] }).status === 0
  );
}
