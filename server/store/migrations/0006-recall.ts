import { byBytes } from "./by-bytes.ts";

const tables: readonly string[] = [
  `create table recall_states (thread text not null references threads (id), branch text not null,
     version integer not null, depth integer not null, docs integer not null, primary key (thread, branch))`,
  `create table recall_docs (thread text not null references threads (id), branch text not null, block integer not null,
     body text not null, sessions text not null, primary key (thread, branch, block))`,
  `create table recall_postings (thread text not null references threads (id), term text not null, branch text not null,
     block integer not null, count integer not null, body text not null, primary key (thread, term, branch, block))`,
  "create index artifacts_by_message on artifacts (thread, message, ref)",
];

/** Clustered by term, because a query reads the rows of its terms. */
const clustered = /^create table recall_/;

/** The recall index: how far each branch is indexed, its passages in blocks, and the positions of every term in blocks. */
export const recall = {
  sqlite: tables.map((sql) => (clustered.test(sql) ? `${sql} without rowid` : sql)),
  postgres: [
    ...tables.map(byBytes),
    // Postings are already compressed.
    "alter table recall_postings alter column body set storage external",
    "alter table recall_docs alter column body set storage external",
  ],
} as const;
