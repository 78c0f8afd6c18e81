/** The first schema. The same for both databases except for the search index. */
const tables = [
  "create table users (id text primary key, created_at bigint not null)",
  "create table members (object text not null, person text not null, role text not null, primary key (object, person))",
  `create table streams (id text primary key, head bigint not null, epoch bigint not null, holder text,
     lease_until bigint not null)`,
  "create index streams_by_holder on streams (holder) where holder is not null",
  `create table events (stream text not null, seq bigint not null, transient integer not null, body text not null,
     message text, n integer, primary key (stream, seq))`,
  "create index events_about on events (stream, message) where message is not null and n is null",
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
     step integer not null, attempt integer not null, model text not null, answered_by text, provider text not null, outcome text not null,
     reason text, usage text not null, cost_usd double precision, receipt text, started_at bigint not null, ended_at bigint)`,
  "create index calls_of_thread on calls (thread, run)",
  `create table receipts (id text primary key, thread text not null references threads (id), v integer not null,
     body text not null, created_at bigint not null)`,
  "create index receipts_of_thread on receipts (thread)",
];

const searchColumns = `thread text not null references threads (id), message text not null, owner text not null,
     at bigint not null, text text not null, terms text not null`;

/** SQLite `without rowid` for tables read by primary key, so that rows of a stream are clustered. */
const clustered = /^create table (events|parts|messages|branches|inputs) /;

/** Terms are split at spaces only, as in PostgreSQL. The owner is indexed too, so other users' hits cost nothing. */
const fts = `fts5(terms, owner, content='search_docs', content_rowid='id',
     tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cf Cs'")`;

/** Ordered by bytes, as in SQLite, regardless of the locale. */
const byBytes = (sql: string): string => sql.replaceAll(/(?<!\w)(\w+) text\b/g, '$1 text collate "C"');

/** Limited, because PostgreSQL rejects words above 2 kB and vectors above 1 MB. The owner is a word that no text contains. */
const searchVector = `create function search_vector(terms text, owner text) returns tsvector
     language sql immutable parallel safe as $$
       select array_to_tsvector(array(select distinct left(word, 200)
         from unnest(string_to_array(left(terms, 250000), ' ')) as word where word <> '') || (chr(1) || owner)) $$`;

export const spine = {
  sqlite: [
    ...tables.map((sql) => (clustered.test(sql) ? `${sql} without rowid` : sql)),
    `create table search_docs (id integer primary key, ${searchColumns}, unique (thread, message))`,
    `create virtual table search_index using ${fts}`,
    `create trigger search_docs_added after insert on search_docs begin
       insert into search_index (rowid, terms, owner) values (new.id, new.terms, new.owner); end`,
    `create trigger search_docs_removed after delete on search_docs begin
       insert into search_index (search_index, rowid, terms, owner)
         values ('delete', old.id, old.terms, old.owner); end`,
    `create trigger search_docs_changed after update on search_docs begin
       insert into search_index (search_index, rowid, terms, owner)
         values ('delete', old.id, old.terms, old.owner);
       insert into search_index (rowid, terms, owner) values (new.id, new.terms, new.owner); end`,
  ],
  postgres: [
    ...tables.map(byBytes),
    "alter table streams set (fillfactor = 50)",
    searchVector,
    `create table search_docs (${byBytes(searchColumns)},
       vector tsvector not null generated always as (search_vector(terms, owner)) stored, primary key (thread, message))`,
    "create index search_index on search_docs using gin (vector)",
    "create index search_docs_by_time on search_docs (owner, at, thread, message)",
  ],
} as const;
