import { byBytes } from "./by-bytes.ts";

const tables = ["alter table providers add column key_origin text"];

/** A key of the compatible server belongs to its address. */
export const keyOrigins = { sqlite: tables, postgres: tables.map(byBytes) } as const;
