/** The first schema. The text is the same for both databases, but for the search index. */
const tables = [
  "create table users (id text primary key, created_at bigint not null)",
  "create table members (object text not null, person text not null, role text not null, primary key (object, person))",
  `create table streams (id text primary key, head bigint not null, epoch bigint not null, holder text,
     lease_until bigint not null)`,
  "create index streams_by_holder on streams (holder) where holder is not null",
  `create table events (stream text not null, seq bigint not null, transient integer not null, body text not null,
     message text, n integer, primary key (stream, seq))`,
  `create table threads (id text primary key, owner text not null references users (id), title text not null,
     title_source text not null, preview text not null, profile text not null, model text not null, status text not null,
     pinned integer not null, archived integer not null, message_count integer not null, branch text not null,
     created_at bigint not null, updated_at bigint not null)`,
  "create index threads_by_change on threads (owner, archived, pinned, updated_at, id)",
  `create table branches (thread text not null references threads (id), id text not null, parent text,
     fork_depth integer not null, tip integer not null, used_at bigint not null, primary key (thread, id))`,
  "create index branches_by_fork on branches (thread, parent, fork_depth)",
  `create table messages (thread text not null references threads (id), id text not null, branch text not null,
     depth integer not null, role text not null, run text, created_at bigint not null, primary key (thread, id))`,
  "create unique index messages_by_place on messages (thread, branch, depth)",
  `create table parts (thread text not null references threads (id), message text not null, n integer not null,
     v integer not null, kind text not null, tokens integer not null, body text not null, primary key (thread, message, n))`,
  `create table inputs (thread text not null references threads (id), id text not null, kind text not null,
     mode text not null, hash text not null, body text not null, state text not null, seq bigint not null,
     created_at bigint not null, primary key (thread, id))`,
  "create index inputs_waiting on inputs (thread, seq) where state = 'queued'",
  `create table runs (id text primary key, thread text not null references threads (id), message text not null,
     v integer not null, body text not null, ended integer not null, stop integer not null, started_at bigint not null,
     ended_at bigint)`,
  "create index runs_of_thread on runs (thread, started_at)",
  "create unique index runs_alive on runs (thread) where ended = 0",
  `create table calls (id text primary key, thread text not null references threads (id), run text, purpose text not null,
     step integer not null, attempt integer not null, model text not null, provider text not null, outcome text not null,
     reason text, usage text not null, cost_usd double precision, receipt text, started_at bigint not null, ended_at bigint)`,
  "create index calls_of_thread on calls (thread, run)",
  `create table receipts (id text primary key, thread text not null references threads (id), v integer not null,
     body text not null, created_at bigint not null)`,
  "create index receipts_of_thread on receipts (thread)",
];

const searchColumns = `thread text not null references threads (id), message text not null, owner text not null,
     at bigint not null, text text not null, terms text not null`;

/** SQLite without rowids where the key is what is read by: the rows of a stream lie together. */
const clustered = /^create table (events|parts|messages|branches|inputs) /;

export const spine = {
  sqlite: [
    ...tables.map((sql) => (clustered.test(sql) ? `${sql} without rowid` : sql)),
    `create table search_docs (id integer primary key, ${searchColumns}, unique (thread, message))`,
    "create virtual table search_index using fts5(terms, content='search_docs', content_rowid='id', tokenize='unicode61 remove_diacritics 0')",
    `create trigger search_docs_added after insert on search_docs begin
       insert into search_index (rowid, terms) values (new.id, new.terms); end`,
    `create trigger search_docs_removed after delete on search_docs begin
       insert into search_index (search_index, rowid, terms) values ('delete', old.id, old.terms); end`,
    `create trigger search_docs_changed after update on search_docs begin
       insert into search_index (search_index, rowid, terms) values ('delete', old.id, old.terms);
       insert into search_index (rowid, terms) values (new.id, new.terms); end`,
  ],
  postgres: [
    ...tables,
    `create table search_docs (${searchColumns}, primary key (thread, message))`,
    "create index search_index on search_docs using gin (array_to_tsvector(string_to_array(terms, ' ')))",
  ],
} as const;
