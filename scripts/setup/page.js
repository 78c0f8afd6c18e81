import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageScript, runQuietly } from "../program.js";
import { hashOf, readIfThere, root, runtimeFolder, say, SetupProblem } from "../project.js";
import { installAll } from "./dependencies.js";
import { selectPackages } from "./lockfile.js";

const sources = ["web", "protocol", "vite.config.ts", "tsconfig.base.json", "package-lock.json"];
const built = join(root, "dist/web/index.html");
const stamp = join(root, "dist/web.sources");
const vite = "vite/bin/vite.js";

/**
 * Builds the page into dist/web if it is missing or was built from different sources.
 * @param {import("../program.js").Runtime} runtime
 */
export async function ensurePage(runtime) {
  if (!existsSync(built) || readIfThere(stamp) !== hashOf(sources)) await buildPage(runtime);
}

/** Whether the clone has the packages for development. */
export const hasPagePackages = () => existsSync(packageScript(vite));

/** @param {import("../program.js").Runtime} runtime */
export async function buildPage(runtime) {
  const wanted = hashOf(sources);
  if (hasPagePackages()) {
    say("building the page");
    await runVite(runtime, root);
  } else {
    await buildApart(runtime);
  }
  writeFileSync(stamp, wanted);
}

/**
 * Builds a copy of the page's sources in a folder with only the packages that the page needs, and deletes the folder.
 * @param {import("../program.js").Runtime} runtime
 */
async function buildApart(runtime) {
  const place = join(runtimeFolder, "page");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const path of [...sources, "scripts/setup/notices.ts"])
    cpSync(join(root, path), join(place, path), { recursive: true });
  const lock = selectPackages(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")), listPagePackages());
  writeFileSync(join(place, "package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module", ...lock.packages?.[""] }));
  say("installing packages to build the page (about 330 MB, deleted afterwards)");
  await installAll(runtime, place);
  say("building the page");
  await runVite(runtime, place);
  mkdirSync(join(root, "dist"), { recursive: true });
  rmSync(join(root, "dist/web"), { recursive: true, force: true });
  renameSync(join(place, "dist/web"), join(root, "dist/web"));
  rmSync(place, { recursive: true, force: true });
}

/** @param {import("../program.js").Runtime} runtime @param {string} folder */
async function runVite(runtime, folder) {
  const { code, output } = await runQuietly(runtime, [join(folder, "node_modules", vite), "build"], { cwd: folder });
  if (code === 0 && existsSync(join(folder, "dist/web/index.html"))) return;
  process.stderr.write(output);
  throw new SetupProblem("the page could not be built. The reason is shown above.");
}

const imports = /\b(?:from|import)\b\s*\(?\s*["']((?:@[\w.-]+\/)?[\w.-]+)/g;

/** The project's packages that the sources of the page or Vite's settings import. */
export function listPagePackages() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const texts = [join(root, "vite.config.ts"), ...listSources(join(root, "web"))].map((path) =>
    readFileSync(path, "utf8"),
  );
  const names = new Set(texts.flatMap((text) => [...text.matchAll(imports)].map(([, name]) => name)));
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) => names.has(name));
}

/** @param {string} folder @returns {string[]} */
function listSources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listSources(path);
    return /\.(ts|tsx|css|html)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}
