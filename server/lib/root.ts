import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether this runs from the npm package, whose code is compiled, and not from a clone. */
export const isPackaged = import.meta.filename.endsWith(".js");

/** The folder of package.json. Compiled modules are one folder deeper than their sources. */
export const root: string = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : findRoot(dirname(folder));
}
