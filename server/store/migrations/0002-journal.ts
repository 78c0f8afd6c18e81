/** SQLite writes deltas here first. PostgreSQL does not need it, because its tables are heaps. */
export const journal = {
  sqlite: ["create table journal (id integer primary key, body text not null)"],
  postgres: [],
} as const;
