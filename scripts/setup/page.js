import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageScript, runQuietly } from "../program.js";
import { hashOf, readIfThere, root, say, SetupProblem } from "../project.js";

const sources = ["web", "protocol", "vite.config.ts", "tsconfig.base.json", "package-lock.json"];
const built = join(root, "dist/web/index.html");
const stamp = join(root, "dist/web.sources");

/**
 * Builds the page into dist/web if it is missing or was built from different sources.
 * @param {import("../program.js").Runtime} runtime
 */
export async function ensurePage(runtime) {
  if (!existsSync(built) || readIfThere(stamp) !== hashOf(sources)) await buildPage(runtime);
}

/** @param {import("../program.js").Runtime} runtime */
export async function buildPage(runtime) {
  say("building the page");
  const wanted = hashOf(sources);
  const { code, output } = await runQuietly(runtime, [packageScript("vite/bin/vite.js"), "build"]);
  if (code !== 0 || !existsSync(built)) {
    process.stderr.write(output);
    throw new SetupProblem("the page could not be built. The reason is shown above.");
  }
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(stamp, wanted);
}
