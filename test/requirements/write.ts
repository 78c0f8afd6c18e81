import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readItems, renderTable, root } from "./items.ts";

writeFileSync(join(root, "docs/requirements.md"), renderTable(readItems()));
