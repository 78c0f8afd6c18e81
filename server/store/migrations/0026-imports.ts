import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table imports (owner text not null references users (id), id text not null, name text not null,
     size_bytes bigint not null, state text not null, format text not null, position integer not null,
     lines integer not null, staged text not null, body text not null, error text, created_at bigint not null,
     updated_at bigint not null, primary key (owner, id))`,
  `create table import_pieces (owner text not null, import_id text not null, n integer not null, body text not null,
     primary key (owner, import_id, n),
     foreign key (owner, import_id) references imports (owner, id) on delete cascade)`,
  `create table import_lines (owner text not null, import_id text not null, n integer not null, kind text not null,
     target text not null, text text not null, primary key (owner, import_id, n),
     foreign key (owner, import_id) references imports (owner, id) on delete cascade)`,
];

/** Imports with the file that is read, in pieces, and the lines of their reports. */
export const imports = { sqlite: tables, postgres: tables.map(byBytes) } as const;
