import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table own_keys (owner text not null references users (id), provider text not null, sealed text not null,
     key_at bigint not null, key_origin text, test text, primary key (owner, provider))`,
  "alter table calls add column own_key integer not null default 0",
];

/** Users' own keys of providers, and which calls were made with them. */
export const ownKeys = { sqlite: tables, postgres: tables.map(byBytes) } as const;
