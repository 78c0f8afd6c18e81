import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table accounts (id text not null primary key references users (id), name text not null, email text not null,
     role text not null, state text not null, password text not null, networks text not null, created_at bigint not null,
     changed_at bigint not null, signed_in_at bigint)`,
  "create unique index accounts_by_email on accounts (email)",
  "create index accounts_suspended on accounts (id) where state = 'suspended'",
  `create table links (id text not null primary key, kind text not null, hash text not null, account text, email text,
     role text not null, created_by text, created_at bigint not null, expires_at bigint not null)`,
  "create unique index links_by_hash on links (hash)",
  `create table audit (id text not null primary key, at bigint not null, actor text, action text not null, target text,
     address text not null, detail text not null)`,
  "alter table sessions add column agent text not null default ''",
  "alter table sessions add column address text not null default ''",
  "alter table sessions add column method text not null default 'token'",
  "create index sessions_by_owner on sessions (owner)",
];

/** People with email and password, their one-time links, and the record of changes to accounts. */
export const accounts = { sqlite: tables, postgres: tables.map(byBytes) } as const;
