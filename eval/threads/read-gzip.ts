import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Parses JSON from a gzip file. The result is not checked: callers rely on the documented form of the data. */
export const readGzip = (path: string): unknown => JSON.parse(gunzipSync(readFileSync(path)).toString("utf8"));
