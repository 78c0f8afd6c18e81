import { byBytes } from "./by-bytes.ts";

const tables = ["alter table threads add column effort text not null default ''"];

/** How hard a thread's model is to think. */
export const effort = { sqlite: tables, postgres: tables.map(byBytes) } as const;
