import { byBytes } from "./by-bytes.ts";

const tables = [
  "alter table threads add column temporary integer not null default 0",
  "alter table threads add column seen_at bigint not null default 0",
  "update threads set seen_at = updated_at",
  "create index threads_by_owner on threads (owner, id)",
  "create index projects_by_owner on projects (owner, id)",
  `create table providers (provider text primary key, owner text not null references users (id), sealed text,
     key_at bigint, base_url text, models text not null, test text, updated_at bigint not null)`,
  `create table profiles (owner text not null references users (id), id text not null, name text not null,
     source text not null, version integer not null, created_at bigint not null, updated_at bigint not null,
     body text not null, primary key (owner, id))`,
  `create table drafts (owner text not null references users (id), thread text not null, at bigint not null,
     version bigint not null, text text not null, primary key (owner, thread))`,
  "create index drafts_of_thread on drafts (thread)",
  `create table shares (owner text not null references users (id), id text not null, thread text not null references threads (id),
     hash text not null, title text not null, messages integer not null, redacted integer not null,
     created_at bigint not null, body text not null, primary key (owner, id))`,
  "create unique index shares_by_hash on shares (hash)",
  "create index shares_of_thread on shares (thread)",
];

/** Settings, drafts and shares. */
export const settings = { sqlite: tables, postgres: tables.map(byBytes) } as const;
