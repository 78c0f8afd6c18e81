import { byBytes } from "./by-bytes.ts";

const tables = [
  "alter table calls add column reserved_usd double precision",
  "create table budget_gates (owner text not null primary key references users (id), version bigint not null)",
];

/** Reserved cost of open calls, and the version that serializes the reservations of a user. */
export const reservations = { sqlite: tables, postgres: tables.map(byBytes) } as const;
