import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

type Manifest = { readonly name?: string; readonly version?: string; readonly license?: string };

/** The names, versions and licenses of the packages that these modules belong to, as a text. */
export function writeNotices(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => findPackage(path.split("?")[0] ?? "") ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = readManifest(folder);
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version}\n${license ?? text.split("\n")[0]}\n\n${text}`.trim();
  });
  return `This page contains the following packages.\n\n${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** The folder of the package that a module belongs to, if it was installed. */
function findPackage(path: string): string | undefined {
  if (!path.includes("/node_modules/")) return undefined;
  for (let folder = dirname(path); !folder.endsWith("/node_modules"); folder = dirname(folder)) {
    // A package may have manifests without a name in its subfolders.
    if (existsSync(join(folder, "package.json")) && readManifest(folder).version !== undefined) return folder;
  }
  return undefined;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
