import { byBytes } from "./by-bytes.ts";

const tables = [
  "create index members_of_person on members (person, object)",
  "alter table threads add column shared integer not null default 0",
  "alter table messages add column author text",
  "alter table messages add column author_name text",
  "alter table inputs add column author text",
  "alter table inputs add column author_name text",
  "alter table runs add column asker text",
  "create index inputs_by_author on inputs (author) where state = 'queued' and author is not null",
  "create index runs_by_asker on runs (asker) where ended = 0 and asker is not null",
  "create index attachments_by_id on attachments (id)",
  `create table read_marks (owner text not null references users (id), thread text not null references threads (id),
     seen_at bigint not null, primary key (owner, thread))`,
  "create index read_marks_of_thread on read_marks (thread)",
];

/** Members of projects, the authors of messages in shared threads, and their read marks. */
export const members = { sqlite: tables, postgres: tables.map(byBytes) } as const;
