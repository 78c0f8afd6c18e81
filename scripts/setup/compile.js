import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runQuietly } from "../program.js";
import { root, say, SetupProblem } from "../project.js";

const folders = ["server", "protocol", "cli"];

/**
 * Compiles the server and the command line into dist/, for the npm package: Node does not run TypeScript in node_modules.
 * Types become spaces, as when Node runs the sources, so that lines and columns stay the same.
 * @param {import("../program.js").Runtime} runtime that has `stripTypeScriptTypes`, which this process may not have
 */
export async function compileCode(runtime) {
  say("compiling the server");
  const script = `await import(${JSON.stringify(import.meta.url)}).then(({ compileFolders }) => compileFolders())`;
  const { code, output } = await runQuietly(runtime, ["--no-warnings", "--input-type=module", "-e", script]);
  if (code === 0) return;
  process.stderr.write(output);
  throw new SetupProblem("the server could not be compiled. The reason is shown above.");
}

export async function compileFolders() {
  const { stripTypeScriptTypes } = /** @type {any} */ (await import("node:module"));
  for (const folder of folders) {
    rmSync(join(root, "dist", folder), { recursive: true, force: true });
    for (const path of listFiles(join(root, folder))) {
      const target = join(root, "dist", relative(root, path));
      mkdirSync(dirname(target), { recursive: true });
      if (!path.endsWith(".ts")) cpSync(path, target);
      else writeFileSync(target.replace(/ts$/, "js"), toJavaScript(path, stripTypeScriptTypes));
    }
  }
}

/** A path of a module in a string: in imports, and in URLs of worker threads and processes. */
const modulePath = /(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g;

/** @param {string} path @param {(code: string) => string} stripTypes */
function toJavaScript(path, stripTypes) {
  return stripTypes(readFileSync(path, "utf8")).replace(modulePath, (_, quote, stem) => {
    if (!existsSync(join(dirname(path), `${stem}.ts`))) throw new Error(`${path}: ${stem}.ts does not exist.`);
    return `${quote}${stem}.js${quote}`;
  });
}

/** @param {string} folder @returns {string[]} files of the product: no tests, no settings of the compiler */
function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listFiles(path);
    return /\.test\.ts$|^tsconfig.*\.json$/.test(entry.name) ? [] : [path];
  });
}
