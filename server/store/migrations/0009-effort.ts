import { byBytes } from "./by-bytes.ts";

const tables = ["alter table threads add column effort text not null default ''"];

/** Reasoning effort of a thread. */
export const effort = { sqlite: tables, postgres: tables.map(byBytes) } as const;
