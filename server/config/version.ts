import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../lib/root.ts";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

export const VERSION: string = version;
