import { byBytes } from "./by-bytes.ts";

const before = [
  "alter table threads add column project text",
  "alter table threads add column focus text",
  "alter table threads add column mode text not null default ''",
  "create index summaries_standing on summaries (thread, branch, to_depth) where merged_into is null",
  "create index summaries_merged on summaries (thread, branch, to_depth) where level > 0",
  "create index threads_of_project on threads (project, archived, pinned, updated_at, id) where project is not null",
  `create table projects (id text primary key, owner text not null references users (id), name text not null,
     description text not null, instructions text not null, archived integer not null, version integer not null,
     seq integer not null, created_at bigint not null, updated_at bigint not null)`,
  "create index projects_of_owner on projects (owner, archived, updated_at, id)",
];

/** Long columns come last, so that the others are read without them. */
const entityColumns = `project text not null references projects (id), id text not null, kind text not null, title text not null,
     state text not null, ended integer not null, priority integer not null, starts_at bigint, ends_at bigint, parent text,
     position double precision not null, version integer not null, deleted integer not null, created_at bigint not null,
     updated_at bigint not null, body text not null, terms text not null`;

const after = [
  "create index entities_recent on entities (project, updated_at, id) where deleted = 0",
  "create index entities_by_state on entities (project, kind, state, updated_at, id) where deleted = 0",
  "create index entities_by_update on entities (project, kind, updated_at, id) where deleted = 0",
  "create index entities_by_end on entities (project, kind, ended, ends_at, id) where deleted = 0",
  "create index entities_by_start on entities (project, kind, starts_at, id) where deleted = 0",
  "create index entities_of_parent on entities (project, parent, position, id) where deleted = 0",
  `create table edges (project text not null references projects (id), source text not null, relation text not null,
     target text not null, hidden integer not null default 0, created_at bigint not null,
     primary key (project, source, relation, target))`,
  "create index edges_to on edges (project, target, relation, source)",
  `create table acts (project text not null references projects (id), id text not null, hash text not null,
     seq integer not null, author text not null, thread text, run text, text text not null, undone integer not null,
     undoes text, created_at bigint not null, primary key (project, id))`,
  "create index acts_by_seq on acts (project, seq)",
  "create index acts_of_run on acts (run, seq)",
  `create table changes (project text not null references projects (id), act text not null, n integer not null,
     seq integer not null, what text not null, target text not null, title text not null, before text, after text,
     primary key (project, act, n))`,
  "create index changes_of_target on changes (project, what, target, seq)",
  `create table files (project text not null references projects (id), path text not null, hash text not null,
     bytes integer not null, lines integer, seq integer not null, updated_at bigint not null, primary key (project, path))`,
  "create table blobs (project text not null references projects (id), hash text not null, encoding text not null, body text not null, primary key (project, hash))",
  `create table preview_logs (project text not null references projects (id), id text not null, seq integer not null,
     kind text not null, level text not null, text text not null, place text, at bigint not null, primary key (project, id))`,
  "create index preview_logs_by_time on preview_logs (project, kind, at, id)",
];

/** The project is indexed too, so hits in other projects cost nothing. Terms are split at spaces only, as in PostgreSQL. */
const fts = `fts5(terms, project, content='entities', content_rowid='n',
     tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co Cn Cf Cs'")`;
const take =
  "insert into entities_search (entities_search, rowid, terms, project) values ('delete', old.n, old.terms, old.project)";
const give = "insert into entities_search (rowid, terms, project) values (new.n, new.terms, new.project)";

/** Projects with their entities, edges, change history and files. */
export const projects = {
  sqlite: [
    ...before,
    `create table entities (n integer primary key, ${entityColumns}, unique (project, id))`,
    `create virtual table entities_search using ${fts}`,
    `create trigger entities_added after insert on entities begin ${give}; end`,
    `create trigger entities_removed after delete on entities begin ${take}; end`,
    `create trigger entities_changed after update of terms on entities begin ${take}; ${give}; end`,
    ...after,
  ],
  postgres: [
    ...before.map(byBytes),
    `create table entities (${byBytes(entityColumns)},
       vector tsvector not null generated always as (search_vector(terms, project)) stored, primary key (project, id))`,
    "create index entities_search on entities using gin (vector)",
    ...after.map(byBytes),
  ],
} as const;
