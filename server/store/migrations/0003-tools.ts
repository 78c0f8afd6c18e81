import { byBytes } from "./by-bytes.ts";

const tables = [
  "alter table runs add column waiting integer not null default 0",
  `create table artifacts (id text primary key, thread text not null references threads (id), ref integer not null,
     message text not null, kind text not null, title text not null, url text, type text not null, hash text not null,
     body text not null, meta text not null, created_at bigint not null)`,
  "create unique index artifacts_of_thread on artifacts (thread, ref)",
  `create table grants (thread text not null references threads (id), key text not null, created_at bigint not null,
     primary key (thread, key))`,
  `create table decisions (run text not null, part text not null, thread text not null references threads (id),
     decision text not null, word text not null, created_at bigint not null, primary key (run, part))`,
  "create index decisions_of_thread on decisions (thread)",
  `create table memory (owner text not null references users (id), field text not null, value text not null,
     change text not null, updated_at bigint not null, primary key (owner, field))`,
  `create table memory_changes (id text primary key, owner text not null references users (id), field text not null,
     before text not null, after text not null, reason text not null, thread text, message text, undone integer not null,
     created_at bigint not null)`,
  "create index memory_changes_by_time on memory_changes (owner, created_at, id)",
  `create table hidden_values (thread text not null references threads (id), placeholder text not null,
     sealed text not null, created_at bigint not null, primary key (thread, placeholder))`,
  `create table mcp_pins (owner text not null, server text not null, tool text not null, hash text not null,
     body text not null, created_at bigint not null, primary key (owner, server, tool))`,
];

/** Artifacts, grants, memory, redacted values, and definitions of MCP tools at first use. */
export const tools = { sqlite: tables, postgres: tables.map(byBytes) } as const;
