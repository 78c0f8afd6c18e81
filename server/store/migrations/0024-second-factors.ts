import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table passkeys (credential text not null primary key, id text not null, account text not null references accounts (id),
     handle text not null, public_key text not null, counter bigint not null, transports text not null, name text not null, created_at bigint not null,
     used_at bigint)`,
  "create unique index passkeys_by_id on passkeys (id)",
  "create index passkeys_by_account on passkeys (account)",
  `create table authenticators (account text not null primary key references accounts (id), secret text not null,
     last_step bigint not null, created_at bigint not null)`,
  `create table recovery_codes (account text not null references accounts (id), hash text not null, used integer not null,
     primary key (account, hash))`,
  "alter table sessions add column proved_at bigint not null default 0",
];

/** Passkeys, authenticator apps and recovery codes, and when the user of a session last proved who they are. */
export const secondFactors = { sqlite: tables, postgres: tables.map(byBytes) } as const;
