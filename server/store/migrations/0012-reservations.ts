import { byBytes } from "./by-bytes.ts";

const tables = [
  "alter table calls add column reserved_usd double precision",
  "create table budget_gates (owner text not null primary key references users (id), version bigint not null)",
];

/** What open calls may cost at most, and the version by which reservations of one user follow each other. */
export const reservations = { sqlite: tables, postgres: tables.map(byBytes) } as const;
