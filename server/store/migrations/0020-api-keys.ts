import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table api_keys (owner text not null references users (id), id text not null, hash text not null, name text not null,
     start text not null, scopes text not null, created_at bigint not null, expires_at bigint, used_at bigint,
     primary key (owner, id))`,
  "create unique index api_keys_by_hash on api_keys (hash)",
];

/** Keys for other programs. */
export const apiKeys = { sqlite: tables, postgres: tables.map(byBytes) } as const;
