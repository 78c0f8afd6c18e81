import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toTables } from "./to-document.ts";

/** Rewrites the tables at the end of docs/providers.md. Run it with Node 24 after changing a scenario. */
const file = join(import.meta.dirname, "../../../docs/providers.md");
const [words = ""] = readFileSync(file, "utf8").split(/^## When the prompt is too long$/m);
writeFileSync(file, words + toTables());
