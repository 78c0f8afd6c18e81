/** Where SQLite writes deltas first. PostgreSQL appends to a heap as it is. */
export const journal = {
  sqlite: ["create table journal (id integer primary key, body text not null)"],
  postgres: [],
} as const;
