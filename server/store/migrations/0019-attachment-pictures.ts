import { byBytes } from "./by-bytes.ts";

const tables = [
  `create table attachment_pictures (owner text not null, hash text not null, page integer not null, width integer not null,
     height integer not null, size_bytes bigint not null, body text not null, primary key (owner, hash, page),
     foreign key (owner, hash) references attachment_blobs (owner, hash) on delete cascade)`,
  "alter table attachments add column page_count integer",
];

/** Pictures made from a file's content for models that see: pages of a PDF, and photos that had to be converted. */
export const attachmentPictures = { sqlite: tables, postgres: tables.map(byBytes) } as const;
