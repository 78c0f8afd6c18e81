import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table user_groups (id text primary key, name text not null, name_key text not null unique,
     version bigint not null, created_at bigint not null)`,
  `create table group_people (group_id text not null references user_groups (id), person text not null references users (id),
     primary key (group_id, person))`,
  "create index group_people_of_person on group_people (person, group_id)",
  `create table project_groups (project text not null references projects (id),
     group_id text not null references user_groups (id), role text not null, primary key (project, group_id))`,
  "create index project_groups_of_group on project_groups (group_id, project)",
];

/** Groups of users, and the projects that they are members of. */
export const groups = { sqlite: tables, postgres: tables.map(byBytes) } as const;
