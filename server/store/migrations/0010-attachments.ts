import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table attachment_blobs (owner text not null references users (id), hash text not null, body text not null,
     primary key (owner, hash))`,
  `create table attachments (owner text not null, id text not null, thread text not null, sent integer not null,
     hash text not null, name text not null, media_type text not null, kind text not null, size_bytes bigint not null,
     width integer, height integer, created_at bigint not null, text text not null, primary key (owner, id),
     foreign key (owner, hash) references attachment_blobs (owner, hash))`,
  "create index attachments_of_thread on attachments (thread, owner)",
  "create index attachments_by_hash on attachments (owner, hash)",
];

/** Attached files. A foreign key prevents deleting a content that an attachment still uses. */
export const attachments = { sqlite: tables, postgres: tables.map(byBytes) } as const;
