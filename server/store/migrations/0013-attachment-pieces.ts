import { byBytes } from "./by-bytes.ts";

const place = `(select count(*) from attachments b where b.owner = attachments.owner and b.thread = attachments.thread
  and b.sent = 0 and (b.created_at < attachments.created_at
    or (b.created_at = attachments.created_at and b.id < attachments.id)))`;

const tables = [
  `create table attachment_pieces (owner text not null, hash text not null, n integer not null, body text not null,
     primary key (owner, hash, n),
     foreign key (owner, hash) references attachment_blobs (owner, hash) on delete cascade)`,
];

const rest = [
  `insert into attachment_pieces (owner, hash, n, body)
     with recursive piece (owner, hash, n) as (
       select owner, hash, 0 from attachment_blobs
       union all
       select p.owner, p.hash, p.n + 1 from piece p join attachment_blobs b on b.owner = p.owner and b.hash = p.hash
         where (p.n + 1) * 1048576 < length(b.body))
     select p.owner, p.hash, p.n, substr(b.body, p.n * 1048576 + 1, 1048576)
       from piece p join attachment_blobs b on b.owner = p.owner and b.hash = p.hash`,
  "alter table attachment_blobs drop column body",
  "alter table attachments add column slot integer",
  `update attachments set slot = ${place} where sent = 0`,
  "create unique index attachments_waiting on attachments (owner, thread, slot)",
];

/** File contents in pieces, so that no file is completely in memory, and a slot for each unsent file. */
export const attachmentPieces = { sqlite: [...tables, ...rest], postgres: [...tables.map(byBytes), ...rest] } as const;
