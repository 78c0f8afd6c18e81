import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table push_subscriptions (id text not null primary key, owner text not null references users (id), session text not null,
     sealed text not null, agent text not null, titles integer not null, created_at bigint not null, sent_at bigint, problem text)`,
  "create index push_by_owner on push_subscriptions (owner, created_at)",
  "create index push_by_session on push_subscriptions (session)",
];

/** Browsers that get notifications. */
export const push = { sqlite: tables, postgres: tables.map(byBytes) } as const;
