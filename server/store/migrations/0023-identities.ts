import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table identities (issuer text not null, subject text not null, id text not null, account text not null references accounts (id),
     label text not null, created_at bigint not null, used_at bigint not null, primary key (issuer, subject))`,
  "create unique index identities_by_id on identities (id)",
  "create index identities_by_account on identities (account)",
  "create table used_states (hash text not null primary key, expires_at bigint not null)",
  "create index used_states_by_end on used_states (expires_at)",
];

/** Users of an OpenID Connect provider who may sign in to an account. */
export const identities = { sqlite: tables, postgres: tables.map(byBytes) } as const;
