import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table sessions (id_hash text not null primary key, owner text not null references users (id),
     created_at bigint not null, expires_at bigint not null, used_at bigint not null)`,
  "create index sessions_by_end on sessions (expires_at)",
];

/** Browser sign-ins. */
export const sessions = { sqlite: tables, postgres: tables.map(byBytes) } as const;
