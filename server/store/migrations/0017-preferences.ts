import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table preferences (owner text primary key references users (id), v integer not null, version integer not null,
     body text not null, updated_at bigint not null)`,
  `create table prompts (owner text not null references users (id), id text not null, project text not null, name text not null,
     version integer not null, text text not null, created_at bigint not null, updated_at bigint not null,
     primary key (owner, id))`,
  "create unique index prompts_by_name on prompts (owner, project, name)",
  "create index prompts_of_project on prompts (project)",
];

/** The user's preferences, and saved prompts. A prompt for all threads has an empty project. */
export const preferences = { sqlite: tables, postgres: tables.map(byBytes) } as const;
