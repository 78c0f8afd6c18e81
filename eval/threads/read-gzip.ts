import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** The data is the border: what is read is trusted to have the form that its own description gives. */
export const readGzip = (path: string): unknown => JSON.parse(gunzipSync(readFileSync(path)).toString("utf8"));
