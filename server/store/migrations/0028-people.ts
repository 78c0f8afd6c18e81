import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table limits (subject text not null primary key, day_usd double precision, month_usd double precision,
     models text, storage_bytes bigint, updated_at bigint not null)`,
  "alter table shares add column people integer not null default 0",
];

/** Limits of roles and users; links that only signed-in users can open. */
export const people = { sqlite: tables, postgres: tables.map(byBytes) } as const;
